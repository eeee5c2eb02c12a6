/** The colors of every page. */
export const PALETTE: string = `:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfaf8, #16171b);
  --panel: light-dark(#ffffff, #1e2026);
  --line: light-dark(#dedad2, #353841);
  --text: light-dark(#1f2125, #e8e6e1);
  --quiet: light-dark(#5c5f66, #a3a6ad);
  --accent: light-dark(#2b5fb3, #8db4f5);
  --code: light-dark(#f3f1ec, #14151a);
  --get: light-dark(#1f6f43, #7fd3a3);
  --post: light-dark(#2b5fb3, #8db4f5);
  --put: light-dark(#8a5a00, #e5bd6b);
  --delete: light-dark(#a5322c, #f09a94);
}`;

export const DOCS_STYLE: string = `${PALETTE}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1, h2, h3, p { margin: 0; }
h1 { font-size: 1.25rem; }
h2 { font-size: 1.3rem; overflow-wrap: anywhere; }
h3 { font-size: 0.8rem; text-transform: uppercase; letter-spacing: 0.05em; color: var(--quiet); margin-top: 1.5rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem 2rem; justify-content: space-between; align-items: center;
  padding: 1rem 1.5rem; border-bottom: 1px solid var(--line); background: var(--panel); }
header p { color: var(--quiet); font-size: 0.85rem; }
#access { display: grid; grid-template-columns: auto minmax(8rem, 18rem); gap: 0.1rem 0.6rem; align-items: center; }
#access p { grid-column: 2; }
#columns { display: grid; grid-template-columns: 19rem minmax(0, 1fr); align-items: start; }
nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem 0.75rem 2rem 1.5rem; }
nav h2 { font-size: 0.8rem; text-transform: uppercase; letter-spacing: 0.05em; color: var(--quiet); margin: 1rem 0 0.25rem; }
nav button { display: grid; grid-template-columns: 3.4rem 1fr; gap: 0.4rem; width: 100%; text-align: left; border: 0;
  background: none; color: inherit; font: inherit; padding: 0.25rem 0.4rem; border-radius: 6px; cursor: pointer; }
nav button span:last-child { overflow-wrap: anywhere; }
nav button:hover { background: var(--code); }
nav button[aria-current='true'] { background: var(--code); outline: 1px solid var(--line); }
main { padding: 1.5rem; border-left: 1px solid var(--line); min-height: 80vh; }
main:focus { outline: none; }
.method { font: 600 0.75rem/1.9 ui-monospace, monospace; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
.path { font-family: ui-monospace, monospace; font-size: 0.95rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
code, pre, textarea, .mono { font-family: ui-monospace, monospace; font-size: 0.85rem; }
pre { margin: 0.4rem 0 0; padding: 0.75rem 1rem; background: var(--code); border: 1px solid var(--line); border-radius: 8px;
  overflow: auto; max-height: 28rem; white-space: pre-wrap; overflow-wrap: anywhere; }
label { font-weight: 600; font-size: 0.85rem; }
input, select, textarea { width: 100%; padding: 0.4rem 0.55rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--panel); color: inherit; font: inherit; }
textarea { min-height: 11rem; resize: vertical; field-sizing: content; max-height: 32rem;
  font: 0.85rem/1.5 ui-monospace, monospace; }
p code, td code { background: var(--code); border-radius: 4px; padding: 0.05rem 0.3rem; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 1px; }
.field { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0.2rem 1rem; margin-top: 0.6rem; align-items: start; }
.field p { grid-column: 2; font-size: 0.85rem; }
.send { margin-top: 1rem; padding: 0.5rem 1.2rem; border: 0; border-radius: 6px; background: var(--accent);
  color: var(--panel); font: inherit; font-weight: 600; cursor: pointer; }
.send:disabled { opacity: 0.6; cursor: default; }
.stop { margin-left: 0.5rem; background: none; color: var(--accent); border: 1px solid var(--line); }
details { margin-top: 0.5rem; } summary { cursor: pointer; }
table { border-collapse: collapse; margin-top: 0.4rem; width: 100%; }
td { padding: 0.3rem 1rem 0.3rem 0; vertical-align: top; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; }
noscript { display: block; padding: 1.5rem; }
@media (max-width: 50rem) {
  #columns { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; max-height: 16rem; border-bottom: 1px solid var(--line); padding-right: 1.5rem; }
  main { border-left: 0; }
  .field { grid-template-columns: minmax(0, 1fr); } .field p { grid-column: 1; }
}
`;
