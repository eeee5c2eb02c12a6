/** Data only: what YAML frontmatter may hold once it is read. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** A top-level key and its value, in source order. */
export type YamlEntry = [key: string, value: YamlValue];
