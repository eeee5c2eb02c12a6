import { AGENT_SKILL_ROUTES } from './agent-skill-routes.ts';
import { APPROVAL_ROUTES } from './approval-routes.ts';
import { EXECUTION_ROUTES } from './executions/execution-routes.ts';
import { KEY_ROUTES } from './key-routes.ts';
import { RECORD_ROUTES } from './record-routes.ts';
import type { RestRoute } from './rest-route.ts';
import { SETTING_ROUTES } from './setting-routes.ts';
import { SKILL_ROUTES } from './skills/skill-routes.ts';

/** Every route of the REST interface, in the order of the description. */
export const REST_ROUTES: readonly RestRoute[] = [
  ...SKILL_ROUTES,
  ...EXECUTION_ROUTES,
  ...APPROVAL_ROUTES,
  ...SETTING_ROUTES,
  ...KEY_ROUTES,
  ...RECORD_ROUTES,
  ...AGENT_SKILL_ROUTES,
];
