export { DOCS_STYLE } from './docs-style.ts';

export const DOCS_PAGE: string = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Skillwright gateway: API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <header>
      <div>
        <h1>Skillwright gateway</h1>
        <p id="about">Loading the description of the API …</p>
      </div>
      <form id="access" autocomplete="off">
        <label for="token">Key</label>
        <input id="token" type="password" placeholder="sk-sw-…" autocomplete="off" spellcheck="false" />
        <p>Kept in this page only, until it is closed.</p>
      </form>
    </header>
    <div id="columns">
      <nav aria-label="Operations">
        <input id="search" type="search" placeholder="Search operations" aria-label="Search operations" />
        <div id="list"></div>
      </nav>
      <main id="operation" tabindex="-1"></main>
    </div>
    <noscript>This page needs JavaScript. The description itself is at /openapi.json.</noscript>
    <script type="module" src="/docs/page.js"></script>
  </body>
</html>
`;
