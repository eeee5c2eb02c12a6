import { z } from 'zod';
import { withoutAbsent } from '../spec/json-object.ts';
import { SETTING_FIELDS } from '../store/settings.ts';
import { defineRoute, type RestRoute } from './rest-route.ts';

const SETTINGS = z.object(SETTING_FIELDS).meta({ id: 'Settings' });

const CHANGE = z
  .strictObject(SETTING_FIELDS)
  .partial()
  .meta({ minProperties: 1 })
  .refine((change) => Object.keys(change).length > 0, 'an object with at least one setting to change');

const GET: RestRoute = defineRoute({
  method: 'get',
  path: '/api/settings',
  operationId: 'getSettings',
  group: 'settings',
  scopes: ['manage'],
  summary: 'Show all settings.',
  answer: { status: 200, description: 'All settings.', schema: z.object({ settings: SETTINGS }) },
  handle: async ({ parts }) => ({ settings: parts.store.settings.current }),
});

const UPDATE: RestRoute = defineRoute({
  method: 'put',
  path: '/api/settings',
  operationId: 'updateSettings',
  group: 'settings',
  scopes: ['manage'],
  summary: 'Change settings.',
  description: 'Settings that are not in the body stay unchanged. A change takes effect at once.',
  body: CHANGE,
  answer: {
    status: 200,
    description: 'All settings after the change.',
    schema: z.object({ success: z.literal(true), settings: SETTINGS }),
  },
  action: 'settings.update',
  handle: async ({ body, parts, record }) => {
    const before = parts.store.settings.current;
    const settings = await parts.store.settings.update(withoutAbsent(body));
    await record({ before, after: settings });
    return { success: true, settings };
  },
});

export const SETTING_ROUTES: readonly RestRoute[] = [GET, UPDATE];
