// The script of the page at /docs. Texts from the description and from responses only ever become text nodes.
import {
  exampleOf,
  indentJson,
  isFound,
  operationsOf,
  requestPath,
  resolveSchema,
  type Answer,
  type ApiDescription,
  type Operation,
  type Parameter,
  type Schema,
} from './operations.ts';

const list = byId('list');
const main = byId('operation');
const token = byId('token') as HTMLInputElement;
const search = byId('search') as HTMLInputElement;

byId('access').addEventListener('submit', (event) => event.preventDefault());

const api = (await fetch('/openapi.json').then((answer) => answer.json())) as ApiDescription;
byId('about').textContent = `${api.info.description} Version ${api.info.version}.`;

const operations = operationsOf(api);
let shown: Operation | undefined;

search.addEventListener('input', showList);
addEventListener('hashchange', () => {
  showChosen();
  main.focus({ preventScroll: true });
});
showChosen();

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element with the id ${id}.`);
  return element;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Renders text in which backticks mark code. */
function prose(text: string): (Node | string)[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? make('code', {}, part) : part));
}

function chosenOperation(): Operation | undefined {
  return operations.find(({ operationId }) => `#${operationId}` === location.hash) ?? operations[0];
}

/** Shows the chosen operation. If it is already shown, the values that the reader filled in stay. */
function showChosen(): void {
  const chosen = chosenOperation();
  if (chosen !== undefined && chosen !== shown) showOperation(chosen);
  shown = chosen;
  showList();
}

function showList(): void {
  const found = operations.filter((operation) => isFound(operation, search.value));
  list.replaceChildren(
    ...api.tags.flatMap(({ name }) => {
      const here = found.filter(({ tags }) => tags?.includes(name) === true);
      return here.length === 0 ? [] : [make('h2', {}, name), ...here.map(buttonOf)];
    }),
    ...(found.length === 0 ? [make('p', { className: 'quiet' }, 'No operation matches.')] : []),
  );
}

function buttonOf(operation: Operation): HTMLElement {
  const { operationId, method, summary } = operation;
  const onclick = (): void => {
    location.hash = operationId;
  };
  return make(
    'button',
    { type: 'button', ariaCurrent: String(operation === chosenOperation()), onclick },
    make('span', { className: `method ${method}` }, method),
    make('span', {}, summary),
  );
}

function showOperation(operation: Operation): void {
  const { path, method, summary, description, parameters, requestBody, responses } = operation;
  const schema = requestBody?.content['application/json']?.schema;
  const answer = make('div', { role: 'status', ariaLive: 'polite' });
  const start = schema === undefined ? '' : JSON.stringify(exampleOf(schema, api.components.schemas), null, 2);
  const body = schema === undefined ? undefined : make('textarea', { id: 'body', spellcheck: false, value: start });
  const sendButton = make('button', { className: 'send', type: 'submit' }, 'Send');
  const form = make(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        void send(operation, { form, body, answer, sendButton });
      },
    },
    ...(parameters.length === 0 ? [] : [make('h3', {}, 'Parameters')]),
    ...parameters.map(fieldOf),
    ...(body === undefined
      ? []
      : [make('h3', {}, make('label', { htmlFor: 'body' }, 'Body')), body, schemaDetails(schema)]),
    sendButton,
  );
  main.replaceChildren(
    make(
      'p',
      {},
      make('span', { className: `method ${method}` }, method),
      ' ',
      make('span', { className: 'path' }, path),
    ),
    make('h2', {}, summary),
    ...(description === undefined ? [] : [make('p', {}, ...prose(description))]),
    make('p', { className: 'quiet' }, `Needs a key with the scope ${operation['x-scopes'].join(' or ')}.`),
    form,
    answer,
    make('h3', {}, 'Answers'),
    make('table', {}, make('tbody', {}, ...Object.entries(responses).map(([status, one]) => rowOf(status, one)))),
  );
}

function fieldOf({ name, required, description, schema }: Parameter): HTMLElement {
  const id = `parameter-${name}`;
  const placeholder = schema.default === undefined ? '' : JSON.stringify(schema.default);
  const input =
    schema.enum === undefined
      ? make('input', { id, name, required, placeholder })
      : make('select', { id, name }, ...['', ...schema.enum].map((one) => make('option', {}, String(one))));
  return make(
    'div',
    { className: 'field' },
    make('label', { htmlFor: id }, name + (required ? ' *' : '')),
    input,
    ...(description === undefined ? [] : [make('p', { className: 'quiet' }, ...prose(description))]),
  );
}

function schemaDetails(schema: Schema | undefined): HTMLElement {
  const text = JSON.stringify(resolveSchema(schema, api.components.schemas), null, 2);
  return make('details', {}, make('summary', {}, 'Schema'), make('pre', {}, text));
}

function rowOf(status: string, { description, content }: Answer): HTMLElement {
  const json = content['application/json'];
  return make(
    'tr',
    {},
    make('td', { className: 'mono' }, status),
    make('td', {}, ...prose(description), ...(json === undefined ? [] : [schemaDetails(json.schema)])),
  );
}

interface RequestForm {
  readonly form: HTMLFormElement;
  readonly body: HTMLTextAreaElement | undefined;
  /** The element that shows the response. */
  readonly answer: HTMLElement;
  readonly sendButton: HTMLButtonElement;
}

async function send(operation: Operation, { form, body, answer, sendButton }: RequestForm): Promise<void> {
  const values = new FormData(form);
  const url = requestPath(operation, (name) => {
    const value = values.get(name);
    return typeof value === 'string' ? value : '';
  });
  const method = operation.method.toUpperCase();
  const stopping = new AbortController();
  const stop = make('button', { className: 'send stop', type: 'button', onclick: () => stopping.abort() }, 'Stop');
  sendButton.disabled = true;
  sendButton.after(stop);
  const text = make('pre');
  const head = make('p', { className: 'mono' }, `${method} ${url} …`);
  answer.replaceChildren(make('h3', {}, 'Answer'), head, text);
  const began = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(token.value === '' ? {} : { authorization: `Bearer ${token.value.trim()}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: body.value }),
      signal: stopping.signal,
      credentials: 'omit',
    });
    head.textContent = `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`;
    if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) await showStream(response, text);
    else text.textContent = indentJson(await response.text());
  } catch (error) {
    text.append(stopping.signal.aborted ? '\nStopped.' : String(error));
  } finally {
    sendButton.disabled = false;
    stop.remove();
  }
}

async function showStream({ body }: Response, text: HTMLElement): Promise<void> {
  if (body === null) return;
  const decoder = new TextDecoder();
  for await (const chunk of body) text.append(decoder.decode(chunk, { stream: true }));
}
