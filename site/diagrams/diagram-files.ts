import { renderDiagram } from './render-diagram.ts';
import type { Palette } from './svg.ts';

/** The colors of forges, for pictures that are shown there. */
const PALETTES: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    text: '#1f2328',
    muted: '#59636e',
    line: '#59636e',
    box: '#f6f8fa',
    border: '#d1d9e0',
    accent: '#0969da',
    background: '#ffffff',
  },
  dark: {
    text: '#f0f6fc',
    muted: '#9198a1',
    line: '#9198a1',
    box: '#151b23',
    border: '#3d444d',
    accent: '#4493f8',
    background: '#0d1117',
  },
};

/** The pictures of a diagram of `docs/diagrams`, by name: `overview.mmd` → `overview-light.svg`, `overview-dark.svg`. */
export function renderFiles(name: string, text: string): { readonly name: string; readonly svg: string }[] {
  return Object.entries(PALETTES).map(([theme, palette]) => ({
    name: name.replace(/\.mmd$/, `-${theme}.svg`),
    svg: `${renderDiagram(text, palette)}\n`,
  }));
}
