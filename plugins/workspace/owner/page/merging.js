import { mergeParts } from '../../domain/merge.ts'
import { baseOf, change, compare, keep } from './editing.js'
import { store } from './store.js'

const editorOf = (id) => store.editors.find(({ draft }) => draft.id === id)

/** Brings what changed meanwhile into the draft; where both changed the same lines, the person chooses. */
export function mergeNewest(id) {
  const { draft, newest } = editorOf(id)
  const parts = mergeParts(draft.base, newest.text, draft.text)
  if (parts.every((part) => typeof part === 'string')) return adopt(id, parts.join('\n'), newest)
  const chosen = parts.map(() => 'both')
  // The version that is shown: a later one may come while the person chooses.
  change(id, { merging: { parts, chosen, version: newest, text: draft.text } })
}

/** Takes the choice of each part into the draft. What was typed meanwhile is merged too, and asked about where it has to be. */
export function finishMerge(id) {
  const { draft, merging } = editorOf(id)
  const { version } = merging
  if (draft.text === merging.text) return adopt(id, chosenText(merging), version)
  const parts = mergeParts(draft.base, version.text, draft.text)
  const choices = parts.map((part) => choiceFor(part, merging))
  const isDecided = !choices.includes(undefined)
  const chosen = choices.map((choice) => choice ?? 'both')
  if (isDecided) return adopt(id, chosenText({ parts, chosen }), version)
  change(id, { merging: { parts, chosen, version, text: draft.text, isAgain: true } })
}

/** What was chosen for the same conflict before; undefined where there was none. */
function choiceFor(part, { parts, chosen }) {
  if (typeof part === 'string') return 'both'
  const { current, proposed } = part
  return chosen[parts.findIndex((one) => one.current === current && one.proposed === proposed)]
}

function chosenText({ parts, chosen }) {
  return parts
    .map((part, at) => {
      if (typeof part === 'string') return part
      const { proposed, current } = part
      const sides = { yours: [proposed], theirs: [current], both: [current, proposed] }
      return sides[chosen[at]].filter((one) => one !== '').join('\n')
    })
    .join('\n')
}

/** The merged text becomes the draft, on the version it was merged with; the draft before can be taken back. */
function adopt(id, text, version) {
  const { draft } = editorOf(id)
  const merged = { draft: { ...draft, ...baseOf(version), text }, before: draft }
  keep(change(id, { ...merged, newest: undefined, merging: undefined, failed: undefined }))
  void compare(id) // a later version is merged again; cannot reject
}

/** The text of before the merge; why it is changed stays as it is now. */
export function unmerge(id) {
  const { draft, before } = editorOf(id)
  keep(change(id, { draft: { ...before, why: draft.why }, before: undefined }))
  void compare(id) // cannot reject
}
