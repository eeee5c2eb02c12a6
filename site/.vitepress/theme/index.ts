import { type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h, onMounted, type VNode } from 'vue';
import { watchAccessibility } from './accessibility.ts';
import './style.css';

const OVERVIEW =
  'Your agent uses the library, any app the gateway, and your terminal the command line. All stand on one core, which finds, chooses, loads, runs and records skills.';

function renderOverview(): VNode {
  const pictures = ['light', 'dark'].map((name) =>
    h('img', { class: `picture ${name}-only`, src: withBase(`/overview-${name}.svg`), alt: OVERVIEW }),
  );
  return h('div', { class: 'overview', tabindex: 0, role: 'group', 'aria-label': 'Overview' }, pictures);
}

const theme: Theme = {
  extends: DefaultTheme,
  Layout: defineComponent(() => {
    onMounted(watchAccessibility);
    return () => h(DefaultTheme.Layout, null, { 'home-features-before': renderOverview });
  }),
};

export default theme;
