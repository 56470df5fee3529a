/**
 * A new element. Text only ever becomes a text node: what others wrote cannot become markup.
 * `props`: attributes, or listeners as `onclick`; false and undefined are left out, true means an empty attribute.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false))
  return element
}

/** Replaces what an element holds, and gives the focus back to what has the same name. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement?.dataset.key : undefined
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== false),
  )
  if (focused !== undefined) element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus()
}

/** Characters that reorder or hide the text around them; joiners that scripts and emoji need are not among them. */
const HIDDEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** Text in which nothing hides: such characters are shown as their code. */
export function visible(text) {
  return text.replace(
    HIDDEN,
    (char) => `[U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** A moment as people read it, in their own words and zone; the exact one is in the markup. */
export function when(moment) {
  const date = new Date(moment)
  const text = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' }).format(date)
  return h('time', { datetime: moment }, text)
}

/** The nodes of a rendered document, from the server's plain tree. */
export function markdown(nodes) {
  return nodes.map((node) => {
    if (typeof node === 'string') return visible(node)
    const link =
      node.href === undefined
        ? {}
        : { href: node.href, rel: 'noopener noreferrer nofollow', target: '_blank' }
    return h(node.tag, link, ...markdown(node.children))
  })
}

/** A unified diff, each line marked for eyes and for a screen reader. */
export function diffLines(diff) {
  const kinds = { '+': ['ins', 'added'], '-': ['del', 'removed'], '@': ['span', 'place'] }
  const lines = diff.split('\n').filter((line) => line !== '')
  return h(
    'pre',
    { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Changes' },
    lines.map((line) => {
      const [tag, name] = kinds[line[0]] ?? ['span', 'same']
      return h(tag, { class: name }, `${visible(line)}\n`)
    }),
  )
}
