/** A subject of generated skills. The words of one list are near synonyms, so that tasks can use other words than the skill. */
export interface Subject {
  readonly area: string;
  readonly things: readonly (readonly string[])[];
  readonly actions: readonly (readonly string[])[];
  readonly tools: readonly string[];
}

export const SUBJECTS: readonly Subject[] = [
  {
    area: 'documents',
    things: [
      ['PDF form', 'fillable PDF', 'acroform'],
      ['invoice', 'bill', 'supplier statement'],
      ['spreadsheet', 'workbook', 'Excel sheet'],
      ['contract', 'agreement', 'legal terms'],
    ],
    actions: [
      ['extract tables from', 'pull the rows out of', 'read the figures in'],
      ['fill in', 'complete', 'populate'],
      ['merge', 'combine', 'stitch together'],
      ['redact', 'black out names in', 'anonymise'],
    ],
    tools: ['pdfplumber', 'openpyxl', 'docxtpl', 'ghostscript'],
  },
  {
    area: 'databases',
    things: [
      ['schema migration', 'table change', 'ALTER TABLE step'],
      ['slow query', 'expensive SELECT', 'sequential scan'],
      ['backup', 'dump', 'point-in-time copy'],
      ['replica', 'standby', 'read copy'],
    ],
    actions: [
      ['plan', 'design', 'work out'],
      ['speed up', 'tune', 'find why it is slow:'],
      ['restore', 'bring back', 'recover'],
      ['verify', 'check', 'prove the state of'],
    ],
    tools: ['PostgreSQL', 'MySQL', 'SQLite', 'CockroachDB'],
  },
  {
    area: 'delivery',
    things: [
      ['pipeline', 'build job', 'CI workflow'],
      ['release', 'rollout', 'shipment to production'],
      ['container image', 'Dockerfile', 'base layer'],
      ['cluster', 'node pool', 'namespace'],
    ],
    actions: [
      ['repair', 'fix the failing', 'get green again:'],
      ['roll back', 'undo', 'revert'],
      ['shrink', 'make smaller', 'slim down'],
      ['scale', 'add capacity to', 'resize'],
    ],
    tools: ['Kubernetes', 'Helm', 'Terraform', 'Jenkins'],
  },
  {
    area: 'marketing',
    things: [
      ['landing page', 'sign-up page', 'home page copy'],
      ['newsletter', 'email campaign', 'drip sequence'],
      ['keyword list', 'search terms', 'SEO topics'],
      ['ad creative', 'banner', 'sponsored post'],
    ],
    actions: [
      ['rewrite', 'improve the wording of', 'sharpen'],
      ['split-test', 'compare two versions of', 'experiment with'],
      ['audit', 'review', 'find what is wrong with'],
      ['schedule', 'plan the calendar for', 'time'],
    ],
    tools: ['HubSpot', 'Mailchimp', 'Ahrefs', 'Webflow'],
  },
  {
    area: 'media',
    things: [
      ['screen recording', 'demo video', 'captured clip'],
      ['podcast episode', 'voice track', 'interview audio'],
      ['thumbnail', 'cover picture', 'preview image'],
      ['subtitle file', 'captions', 'transcript'],
    ],
    actions: [
      ['trim', 'cut silence from', 'shorten'],
      ['compress', 'reduce the size of', 'transcode'],
      ['generate', 'make', 'produce'],
      ['translate', 'localise', 'put into another language:'],
    ],
    tools: ['FFmpeg', 'Whisper', 'ImageMagick', 'Remotion'],
  },
  {
    area: 'science',
    things: [
      ['protein structure', 'folded chain', 'PDB entry'],
      ['single-cell matrix', 'expression counts', 'scRNA data'],
      ['time series', 'sensor log', 'sampled signal'],
      ['literature search', 'paper review', 'citation hunt'],
    ],
    actions: [
      ['visualise', 'plot', 'draw'],
      ['cluster', 'group', 'find populations in'],
      ['denoise', 'smooth', 'filter'],
      ['summarise', 'condense', 'report on'],
    ],
    tools: ['Scanpy', 'PyMOL', 'SciPy', 'Zotero'],
  },
  {
    area: 'security',
    things: [
      ['dependency tree', 'lock file', 'third-party packages'],
      ['access policy', 'permission set', 'IAM role'],
      ['leaked secret', 'exposed token', 'committed key'],
      ['login flow', 'sign-in', 'session handling'],
    ],
    actions: [
      ['scan', 'look for holes in', 'check the risk of'],
      ['rotate', 'replace', 'revoke'],
      ['harden', 'lock down', 'tighten'],
      ['model threats to', 'think like an attacker about', 'find abuse of'],
    ],
    tools: ['Semgrep', 'Vault', 'Trivy', 'Keycloak'],
  },
  {
    area: 'frontend',
    things: [
      ['component', 'widget', 'UI element'],
      ['layout', 'page grid', 'responsive arrangement'],
      ['bundle', 'shipped JavaScript', 'client code'],
      ['form', 'input page', 'wizard'],
    ],
    actions: [
      ['make accessible', 'fix screen-reader support of', 'check the contrast of'],
      ['animate', 'add motion to', 'smooth the transition of'],
      ['debug', 'find the bug in', 'explain the glitch in'],
      ['test', 'cover', 'write checks for'],
    ],
    tools: ['React', 'Svelte', 'Playwright', 'Vite'],
  },
];

export const FILLER: readonly string[] = [
  'Read the input first and say what is missing before anything is changed.',
  'Ask for the goal when it is not clear from the request.',
  'Keep the original untouched and write results next to it.',
  'Report what was done, what was skipped and why.',
  'Stop at the first error and show the command with its output.',
  'Prefer small steps that can be checked one by one.',
  'Look at the neighbouring files for the house style.',
  'Run the checks again after every change.',
];
