const PROMPT = '$ ';
/** What the button "Copy Code" of VitePress leaves out. */
const NOT_COPIED = 'vp-copy-ignore';

/**
 * A transformer of Shiki: the button beside a `console` block copies its commands, without prompts and
 * answers. A line that begins with a prompt is a command, and so is the next one after a backslash.
 */
export const copyOnlyCommands = {
  name: 'copy-only-commands',
  line(line, number) {
    if (this.options.lang !== 'console') return;
    const lines = this.source.split('\n');
    let first = number - 1;
    while (first > 0 && lines[first - 1].endsWith('\\')) first -= 1;
    if (!lines[first].startsWith(PROMPT)) this.addClassToHast(line, NOT_COPIED);
    else if (first === number - 1) markPrompt(line);
  },
};

/** Puts the prompt into an element of its own, in the colour of the first token. */
function markPrompt(line) {
  const style = line.children[0].properties.style;
  let left = PROMPT.length;
  for (const { children } of line.children) {
    const [text] = children;
    const length = Math.min(left, text.value.length);
    text.value = text.value.slice(length);
    left -= length;
  }
  line.children.unshift({
    type: 'element',
    tagName: 'span',
    properties: { class: NOT_COPIED, style },
    children: [{ type: 'text', value: PROMPT }],
  });
}
