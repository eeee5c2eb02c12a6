import { z } from 'zod';
import { withoutAbsent } from '../spec/json-object.ts';
import { SETTING_FIELDS } from '../store/settings.ts';
import { routesIn, type RestRoute } from './rest-route.ts';

const SETTINGS = z.object(SETTING_FIELDS).meta({ id: 'Settings' });

const CHANGE = z
  .strictObject(SETTING_FIELDS)
  .partial()
  .meta({ minProperties: 1 })
  .refine((change) => Object.keys(change).length > 0, 'an object with at least one setting to change');

const define = routesIn('settings');

const GET: RestRoute = define({
  method: 'get',
  path: '/api/settings',
  operationId: 'getSettings',
  scopes: ['manage'],
  summary: 'Show all settings.',
  answer: { description: 'All settings.', schema: z.object({ settings: SETTINGS }) },
  handle: async ({ parts }) => ({ settings: parts.store.settings.current }),
});

const UPDATE: RestRoute = define({
  method: 'put',
  path: '/api/settings',
  operationId: 'updateSettings',
  scopes: ['manage'],
  summary: 'Change settings.',
  description: 'Settings that are not in the body stay unchanged. A change takes effect at once.',
  body: CHANGE,
  answer: {
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
