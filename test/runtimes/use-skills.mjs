// With a package's name: imports it, and reports the error. With `--skills`, a directory and options: uses its skills.
const [first, dir, options] = process.argv.slice(2);

if (first !== '--skills') {
  try {
    await import(first);
    console.log('{}');
  } catch ({ code, message }) {
    console.log(JSON.stringify({ code, message }));
  }
} else {
  const { SkillManager, createSkillsProvider } = await import('skillwright');
  const manager = new SkillManager({ projectSkillDir: dir });
  const { skills } = await manager.discover();
  await manager.close();
  const provider = await createSkillsProvider(dir, JSON.parse(options));
  const script = (path) => provider.handleToolCall('use_skill', { skill: 'kit', script: path, args: ['well'] });
  const tools = {};
  for (const name of ['js_tool', 'py_tool', 'sh_tool'])
    tools[name] = [await provider.handleToolCall(name, { n: 21 }), await provider.handleToolCall(name, { n: 21 })];
  const scripts = [await script('scripts/say.sh'), await script('scripts/say.js')];
  await provider.close();
  const names = provider.skillNames;
  console.log(JSON.stringify({ discovered: skills.map(({ name }) => name), names, scripts, tools }));
}
