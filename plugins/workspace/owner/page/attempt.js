import { Refused } from './api.js'
import { store, update } from './store.js'

let view

export function actOn(roomView) {
  view = roomView
}

/** Says something once; `undo` offers to take it back. */
export function note(text, undo) {
  // The same words again are heard again: the page makes another element of them.
  const said = store.notice?.text === text ? store.notice.said + 1 : 0
  update({ notice: text === '' ? undefined : { text, undo, said } })
}

/**
 * Does something at the server. False after a refusal, which is said in the server's own words: a form then keeps what was
 * typed into it.
 */
export async function attempt(work, ...parts) {
  try {
    await work()
    return true
  } catch (thrown) {
    note(thrown instanceof Refused ? thrown.message : 'The room could not be reached.')
    return false
  } finally {
    for (const part of parts) view.refresh(part)
  }
}

/** Loads one more page of a list. */
export function readOlder(part) {
  view.readOlder(part)
}

/** Asks before what cannot be taken back. */
export function confirmed(question, label) {
  return new Promise((answer) => {
    update({
      asking: {
        question,
        label,
        answer: (yes) => {
          update({ asking: undefined })
          answer(yes)
        },
      },
    })
  })
}
