/** Fixes the accessibility problems that axe finds in VitePress 1.6.4, now and whenever VitePress changes the page. */
export function watchAccessibility(): void {
  const changes = { childList: true, subtree: true, attributeFilter: ['class', 'aria-selected', 'aria-owns'] };
  const observer = new MutationObserver(() => {
    // Ignores changes made by the fix itself.
    observer.disconnect();
    repair();
    observer.observe(document.body, changes);
  });
  repair();
  observer.observe(document.body, changes);
  addEventListener('resize', repair);
}

function repair(): void {
  // The front page has no main landmark; other pages have one inside.
  const content = document.querySelector('#VPContent');
  if (content?.querySelector('main') === null) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');

  // The button takes its name from its text, without the keys beside it. On a phone it has no text.
  for (const button of document.querySelectorAll('.DocSearch-Button')) {
    const text = button.querySelector('.DocSearch-Button-Placeholder');
    const isShown = text !== null && getComputedStyle(text).display !== 'none';
    button.querySelector('.DocSearch-Button-Keys')?.setAttribute('aria-hidden', 'true');
    if (isShown) button.removeAttribute('aria-label');
    else button.setAttribute('aria-label', 'Search');
  }

  // A sidebar group is a button that opens it. The arrow inside does the same, so it need not be a button, too.
  for (const group of document.querySelectorAll('.VPSidebarItem.collapsible > .item[role="button"]')) {
    const isOpen = group.closest('.VPSidebarItem')?.classList.contains('collapsed') === false;
    group.setAttribute('aria-expanded', String(isOpen));
    const arrow = group.querySelector('.caret');
    removeAttributes(arrow, 'role', 'tabindex', 'aria-label');
    arrow?.setAttribute('aria-hidden', 'true');
  }

  // The search is a dialog, and its results are a list of links.
  const search = document.querySelector('.VPLocalSearchBox');
  if (search === null) return;
  search.setAttribute('role', 'dialog');
  search.setAttribute('aria-modal', 'true');
  search.setAttribute('aria-label', 'Search');
  removeAttributes(search, 'aria-owns', 'aria-expanded', 'aria-haspopup', 'aria-labelledby');
  removeAttributes(search.querySelector('input'), 'aria-activedescendant', 'aria-controls', 'aria-autocomplete');
  removeAttributes(search.querySelector('.results'), 'role', 'aria-labelledby');
  for (const result of search.querySelectorAll('.results > li')) removeAttributes(result, 'role', 'aria-selected');
  for (const link of search.querySelectorAll('.results a')) link.removeAttribute('aria-label');
  // Keyboard keys that are drawn as images have a name only as images.
  for (const key of search.querySelectorAll('kbd[aria-label]')) key.setAttribute('role', 'img');
}

function removeAttributes(element: Element | null, ...names: readonly string[]): void {
  for (const name of names) element?.removeAttribute(name);
}
