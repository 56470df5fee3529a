import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { act } from './actions.js'
import { apart, button, editId, isMeant, Name, targetName, visible, when } from './dom.js'
import { Editor } from './editor.js'
import { isOpen, Proposal, Review } from './proposal.js'
import { may, store } from './store.js'

/** The document with what is proposed, leased and edited, each where it belongs. */
export function Document({ room, document: shown, editors }) {
  const mayPropose = may(room, 'propose')
  const parts = useMemo(() => partsOf(shown?.nodes ?? [], mayPropose), [shown?.nodes, mayPropose])
  const targets = useMemo(() => parts.flatMap(({ target }) => target ?? []), [parts])
  const places = placesOf(room, parts, editors)
  const whole = places.get('workspace')
  const hidden = replacedParts(parts, places)
  const isEnded = ['ended', 'elsewhere'].includes(store.connection)
  return h(
    'article',
    { class: 'document', id: 'document', tabindex: -1, 'aria-label': 'Document' },
    whole && h(Place, { key: 'workspace', room, place: whole, targets, isWhole: true }),
    parts.map((part, at) => {
      const place = places.get(part.target)
      if (!place && !hidden.has(at)) return part.plain
      return h(Part, { key: part.target ?? at, part, room, place, targets, isHidden: hidden.has(at) })
    }),
    shown?.rest && h('pre', { dir: 'auto' }, visible(shown.rest)),
    !shown &&
      h(
        'p',
        { class: 'empty' },
        isEnded ? 'It was not read before the connection ended.' : 'Reading the document …',
      ),
    shown && shown.nodes.length === 0 && !shown.rest && h('p', { class: 'empty' }, 'The document is empty.'),
  )
}

/** The document cut at its headings; the vnodes of a part are made once for each version. */
function partsOf(nodes, mayPropose) {
  const parts = []
  for (const node of nodes) {
    // Footnotes belong to the whole document, not to its last section.
    const isNotes = node.tag === 'ol' && node.children[0]?.id !== undefined
    if (node.target !== undefined || parts.length === 0 || isNotes) {
      const isHeading = node.target !== undefined
      parts.push({
        target: node.target,
        heading: isHeading ? node : undefined,
        nodes: isHeading ? [] : [node],
      })
    } else parts.at(-1).nodes.push(node)
  }
  return parts.map((part, at) => partOf(part, at, mayPropose))
}

function partOf({ nodes: own, heading, target }, at, mayPropose) {
  const part = {
    target,
    tag: heading?.tag,
    level: Number(heading?.tag.slice(1) ?? 0),
    title: heading && textOf(heading),
    mayPropose,
    heading: heading && markdown(heading.children, mayPropose),
    body: markdown(own, mayPropose),
  }
  // Where nothing else belongs to a part, the same vnode is passed each time, and Preact skips it.
  return { ...part, plain: h(Part, { key: target ?? at, part }) }
}

/** What is to be shown at each target: open proposals, leases, the editor. */
function placesOf(room, parts, editors) {
  const known = new Set(parts.map(({ target }) => target))
  const places = new Map()
  const at = (target) => {
    const place = known.has(target) ? target : 'workspace'
    if (!places.has(place)) places.set(place, { proposals: [], leases: [], editors: [] })
    return places.get(place)
  }
  for (const one of room.proposals)
    if (isOpen(one) && known.has(one.target)) at(one.target).proposals.push(one)
  for (const lease of room.leases) at(lease.target).leases.push(lease)
  for (const editor of editors) at(editor.draft.target).editors.push(editor)
  return places
}

/**
 * The parts of sections whose changes are open in their place: their own text is not shown beside them. Each part is
 * visited a single time, because a document may have 10,000 headings.
 */
function replacedParts(parts, places) {
  const hidden = new Set()
  let level = Number.POSITIVE_INFINITY
  parts.forEach((part, at) => {
    if (part.level <= level) level = Number.POSITIVE_INFINITY
    const place = places.get(part.target)
    if (place?.proposals.some(({ proposal_id: id }) => store.opened.get(id)?.place === 'document')) {
      level = Math.min(level, part.level)
    }
    if (part.level >= level) hidden.add(at)
  })
  return hidden
}

function Part({ part, room, place, targets, isHidden }) {
  const { tag, target, title, heading, body, mayPropose } = part
  return [
    tag &&
      h(
        'div',
        { class: 'heading' },
        h(tag, { dir: 'auto' }, heading),
        mayPropose &&
          button('Edit', () => act.edit(target), { about: title, class: 'quiet', id: editId(target) }),
      ),
    place && h(Place, { room, place, targets }),
    h('div', { class: 'text', hidden: isHidden }, body),
  ]
}

function Place({ room, place, targets, isWhole }) {
  const { proposals, leases, editors } = place
  return h(
    'div',
    { class: 'place-here' },
    leases.map((lease) =>
      h(
        'p',
        { key: lease.lease_id, class: 'lease' },
        h(Name, { room, id: lease.participant_id }),
        isWhole ? ` has a lease on ${targetName(lease.target).toLowerCase()} until ` : ' has a lease until ',
        when(lease.expires_at),
      ),
    ),
    proposals.map((one) => h(Inline, { key: one.proposal_id, room, one })),
    editors.map((editor) => h(Editor, { key: editor.draft.id, room, editor, targets })),
  )
}

/** A proposal where its text is. */
function Inline({ room, one }) {
  const isShown = store.opened.get(one.proposal_id)?.place === 'document'
  return h(
    'div',
    { class: 'inline', id: `inline-${one.proposal_id}`, tabindex: -1 },
    h(
      'p',
      {},
      h(Name, { room, id: one.participant_id }),
      one.status === 'approved' ? ' changed this, approved: ' : ' proposes: ',
      h('strong', {}, apart(one.summary)),
      ' ',
      button(isShown ? 'Hide' : 'Show in the text', () => act.toggleProposal(one, 'document'), {
        about: one.summary,
        'aria-expanded': String(isShown),
      }),
    ),
    isShown && h(Proposal, { room, one, place: 'document' }),
    isShown && h(Review, { room, one }),
  )
}

function textOf(node) {
  return typeof node === 'string' ? node : node.children.map(textOf).join('')
}

/** Of an item, without the lists in it: a task is not its subtasks. */
function ownText({ children }) {
  return children
    .filter(({ tag }) => tag !== 'ul' && tag !== 'ol')
    .map(textOf)
    .join(' ')
}

/** What takes the direction of its own text. A paragraph in one of `HOLDERS` takes the direction of that, as its mark does. */
const DIRECTED = new Set(['p', 'li', 'blockquote', 'th', 'td', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const HOLDERS = new Set(['li', 'blockquote'])

/** The nodes of a rendered document, from the server's plain tree: elements of a fixed set, text as text. */
function markdown(nodes, mayTick, holder) {
  return nodes.map((node) => (typeof node === 'string' ? visible(node) : elementOf(node, mayTick, holder)))
}

function elementOf(node, mayTick, holder) {
  const { tag, href, id, task, align, start, isPlain, children } = node
  if (isPlain) return h('pre', { dir: 'auto' }, visible(children.join('')))
  const isHeld = tag === 'p' && HOLDERS.has(holder)
  const dir = DIRECTED.has(tag) && !isHeld ? 'auto' : undefined
  const inside = markdown(children, mayTick, tag)
  if (task)
    return h(
      'li',
      { class: 'task', dir },
      h(Task, { task, text: ownText(node), mayTick }),
      h('div', {}, inside),
    )
  const element = h(tag, { ...linkProps(href), id, dir, start, class: align && `align-${align}` }, inside)
  if (tag !== 'table' && tag !== 'pre') return element
  const label = tag === 'table' ? 'Table' : 'Code'
  return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, element)
}

function linkProps(href) {
  if (href === undefined) return {}
  return href.startsWith('#') ? { href } : { href, rel: 'noopener noreferrer nofollow', target: '_blank' }
}

function Task({ task, text, mayTick }) {
  return h('input', {
    type: 'checkbox',
    checked: task.done,
    disabled: !mayTick,
    'aria-label': visible(text.trim().slice(0, 100)),
    onClick: (event) => {
      // What is shown is the document: the tick appears with the version that has it.
      event.preventDefault()
      if (isMeant(event)) void act.tick(task, text.trim())
    },
  })
}
