import { h } from 'preact'
import { showHidden } from '../../../../server/plugin.ts'
import { imitations } from './imitation.ts'
import { nameOf, update } from './store.js'

/** Text in which nothing hides: hidden characters are shown as their code. A line may end in CR LF. */
export function visible(text) {
  return showHidden(String(text).replace(/\r(?=\n|$)/g, ''))
}

const MOMENTS = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** A moment as people read it, in their own words and zone; the exact one is in the markup. */
export function when(moment) {
  return h('time', { datetime: moment }, MOMENTS.format(new Date(moment)))
}

export function empty(text) {
  return h('p', { class: 'empty' }, text)
}

/** False for the second click of a double click: what it hits may have come in the place of what the first one hit. */
export function isMeant({ detail }) {
  return detail < 2
}

/** A button whose name says what it acts on, for people who hear the page. */
export function button(label, act, { about, ...more } = {}) {
  const name = about === undefined ? {} : { 'aria-label': `${label}: ${visible(about)}` }
  const onClick = (event) => isMeant(event) && act()
  return h('button', { type: 'button', onClick, ...name, ...more }, label)
}

/** The button that opens the editor of a target. */
export function editId(target) {
  return `edit-${encodeURIComponent(target)}`
}

export function badge(status) {
  return h('span', { class: `badge ${status}` }, status.replace('_', ' '))
}

/** Text of others among our own words, whose order one from right to left would change. */
export function apart(text) {
  return h('bdi', {}, visible(text))
}

/** A participant's name with a mark where it may pass for another. */
export function Name({ room, id }) {
  const one = room.participants?.find(({ participant_id }) => participant_id === id)
  const name = apart(nameOf(room, id))
  if (!one) return id === undefined ? name : h('span', { class: 'name' }, name, ' ', h('small', {}, '(left)'))
  const like = imitations(room.participants).get(id)
  if (like !== undefined) {
    return h('span', { class: 'name' }, name, ' ', h('strong', { class: 'mark' }, 'not ', apart(like)))
  }
  if (!one.mixed_script) return name
  return h('span', { class: 'name' }, name, ' ', h('strong', { class: 'mark' }, 'mixed alphabets'))
}

/** What a target is called. */
export function targetName(target) {
  return target === 'workspace' ? 'The whole document' : visible(target.slice('section:'.length))
}

/** What is typed in this tab, by key: a field that the page shows in two places has one text. */
const typed = new Map()

/**
 * Text of a field that survives a reload, and in a new tab the end of this one; with what changes it, and what empties it
 * once it was sent, unless it was typed on meanwhile.
 */
export function keptField(room, name) {
  const key = `satchel:field:${room.status.workspace_id}:${name}`
  if (!typed.has(key)) typed.set(key, sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? '')
  const clear = (sent) => typed.get(key) === sent && keep('')
  const keep = (next) => {
    typed.set(key, next)
    update({})
    for (const storage of [sessionStorage, localStorage]) {
      try {
        if (next === '') storage.removeItem(key)
        else storage.setItem(key, next)
      } catch {
        // Full: the field itself still has the text.
      }
    }
  }
  return [typed.get(key), keep, clear]
}

/** A field with its label, whose text is kept. */
export function Field({ label, value, keep, rows, ...more }) {
  const shared = { dir: 'auto', value, onInput: ({ target }) => keep(target.value), ...more }
  const input =
    rows === undefined ? h('input', { type: 'text', ...shared }) : h('textarea', { rows, ...shared })
  return h('label', { class: 'field' }, h('span', {}, label), input)
}

const SHOWN = {
  proposals: 'All open proposals are shown here, and the newest that are settled. ',
  handoffs: 'All open handoffs are shown here, and the newest that have ended. ',
}

/** Says that a list goes on, and reads on. */
export function older(room, part, act) {
  if (room.next_cursors?.[part] === undefined) return null
  return h(
    'p',
    {},
    SHOWN[part] ?? `The newest ${room[part].length} ${part} are shown here. `,
    button(`Show older ${part}`, () => act.older(part)),
  )
}
