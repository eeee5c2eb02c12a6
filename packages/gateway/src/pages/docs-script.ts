/** Runs in a browser. Texts of the description and of answers only ever become text nodes. */
export const DOCS_SCRIPT: string = String.raw`const byId = (id) => document.getElementById(id);
const list = byId('list');
const main = byId('operation');
const token = byId('token');

byId('access').addEventListener('submit', (event) => event.preventDefault());

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== ''));
  return element;
}

/** Text in which backticks set off code. */
function prose(text) {
  return text.split('${'`'}').map((part, place) => (place % 2 === 1 ? make('code', {}, part) : part));
}

const api = await fetch('/openapi.json').then((answer) => answer.json());
byId('about').textContent = api.info.description + ' Version ' + api.info.version + '.';

const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

function resolve(schema, depth = 0) {
  if (schema === undefined || depth > 8) return {};
  const name = schema.$ref === undefined ? undefined : schema.$ref.split('/').at(-1);
  return name === undefined ? schema : resolve(api.components.schemas[name], depth + 1);
}

/** A value that a schema describes, to begin with. */
function example(given, depth = 0) {
  const schema = resolve(given);
  if (depth > 6) return null;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return example(first, depth + 1);
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    const names = depth === 0 && required.length === 0 ? Object.keys(properties) : required;
    return Object.fromEntries(names.map((name) => [name, example(properties[name], depth + 1)]));
  }
  if (schema.type === 'array') return schema.minItems > 0 ? [example(schema.items, depth + 1)] : [];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'string') return '';
  return {};
}

function showList(text) {
  const wanted = text.trim().toLowerCase();
  const shown = operations.filter(({ path, method, summary }) =>
    (method + ' ' + path + ' ' + summary).toLowerCase().includes(wanted),
  );
  list.replaceChildren(
    ...api.tags.flatMap(({ name }) => {
      const here = shown.filter(({ tags }) => tags.includes(name));
      return here.length === 0 ? [] : [make('h2', {}, name), ...here.map(toButton)];
    }),
    ...(shown.length === 0 ? [make('p', { className: 'quiet' }, 'No operation has that.')] : []),
  );
}

function toButton(operation) {
  return make(
    'button',
    {
      type: 'button',
      'aria-current': String(operation === chosenOperation()),
      onclick: () => void (location.hash = operation.operationId),
    },
    make('span', { className: 'method ' + operation.method }, operation.method),
    make('span', {}, operation.summary),
  );
}

function fieldOf(parameter) {
  const { name, required, description, schema } = parameter;
  const id = 'parameter-' + name;
  const choices = schema.enum;
  const input =
    choices === undefined
      ? make('input', { id, name, required, placeholder: schema.default === undefined ? '' : String(schema.default) })
      : make('select', { id, name }, make('option', { value: '' }, ''), ...choices.map((one) => make('option', {}, one)));
  return make(
    'div',
    { className: 'field' },
    make('label', { htmlFor: id }, name + (required ? ' *' : '')),
    input,
    description === undefined ? '' : make('p', { className: 'quiet' }, ...prose(description)),
  );
}

function showOperation(operation) {
  const { path, method, summary, description, parameters, requestBody, responses } = operation;
  const schema = requestBody?.content['application/json'].schema;
  const answer = make('div', { role: 'status', 'aria-live': 'polite' });
  const body =
    schema === undefined
      ? undefined
      : make('textarea', { id: 'body', spellcheck: false, value: JSON.stringify(example(schema), null, 2) });
  const sendButton = make('button', { className: 'send', type: 'submit' }, 'Send');
  const form = make(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        void send({ operation, form, body, answer, sendButton });
      },
    },
    ...(parameters.length === 0 ? [] : [make('h3', {}, 'Parameters')]),
    ...parameters.map(fieldOf),
    ...(body === undefined ? [] : [make('h3', {}, make('label', { htmlFor: 'body' }, 'Body')), body, schemaOf(schema)]),
    sendButton,
  );
  main.replaceChildren(
    make('p', {}, make('span', { className: 'method ' + method }, method), ' ', make('span', { className: 'path' }, path)),
    make('h2', {}, summary),
    description === undefined ? '' : make('p', {}, ...prose(description)),
    make('p', { className: 'quiet' }, 'Needs a key with the scope ' + operation['x-scopes'].join(' or ') + '.'),
    form,
    answer,
    make('h3', {}, 'Answers'),
    make('table', {}, make('tbody', {}, ...Object.entries(responses).map(toRow))),
  );
}

function schemaOf(schema) {
  return make('details', {}, make('summary', {}, 'Schema'), make('pre', {}, JSON.stringify(resolve(schema), null, 2)));
}

function toRow([status, { description, content }]) {
  const [type, { schema }] = Object.entries(content)[0];
  const isJson = type === 'application/json';
  return make(
    'tr',
    {},
    make('td', { className: 'mono' }, status),
    make('td', {}, ...prose(description), isJson ? schemaOf(schema) : ''),
  );
}

async function send({ operation, form, body, answer, sendButton }) {
  const values = Object.fromEntries(new FormData(form));
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { name, in: place } of operation.parameters) {
    const value = values[name] ?? '';
    if (place === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  const url = path + (query.size === 0 ? '' : '?' + query);
  const stopping = new AbortController();
  const stop = make('button', { className: 'send stop', type: 'button', onclick: () => stopping.abort() }, 'Stop');
  sendButton.disabled = true;
  sendButton.after(stop);
  const shown = make('pre', {});
  const head = make('p', { className: 'mono' }, operation.method.toUpperCase() + ' ' + url + ' …');
  answer.replaceChildren(make('h3', {}, 'Answer'), head, shown);
  const began = performance.now();
  try {
    const response = await fetch(url, {
      method: operation.method.toUpperCase(),
      headers: {
        ...(token.value === '' ? {} : { authorization: 'Bearer ' + token.value.trim() }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: body.value }),
      signal: stopping.signal,
      credentials: 'omit',
    });
    const took = Math.round(performance.now() - began);
    head.textContent = response.status + ' ' + response.statusText + ', ' + took + ' ms';
    if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) await showStream(response, shown);
    else shown.textContent = pretty(await response.text());
  } catch (error) {
    shown.textContent += stopping.signal.aborted ? '\nStopped.' : String(error);
  } finally {
    sendButton.disabled = false;
    stop.remove();
  }
}

async function showStream(response, shown) {
  const decoder = new TextDecoder();
  for await (const chunk of response.body) shown.textContent += decoder.decode(chunk, { stream: true });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function chosenOperation() {
  return operations.find(({ operationId }) => '#' + operationId === location.hash) ?? operations[0];
}

let shown;

/** What is filled in stays where it is shown already. */
function showChosen() {
  const chosen = chosenOperation();
  if (chosen !== shown) showOperation(chosen);
  shown = chosen;
  showList(byId('search').value);
}

byId('search').addEventListener('input', (event) => showList(event.target.value));
addEventListener('hashchange', () => {
  showChosen();
  main.focus({ preventScroll: true });
});
showChosen();
`;
