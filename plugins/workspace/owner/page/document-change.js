import { merge } from '../../domain/merge.ts'
import { get, post, Refused } from './api.js'
import { attempt, note } from './attempt.js'
import { may, store } from './store.js'
import { patchBetween } from './text-patch.ts'

const PARTS = ['document', 'proposals']

/** Ticks a task of the document, or takes the tick back. */
export function tick({ done, at }, text) {
  return attempt(
    async () => {
      const { content, version } = await get('/workspace/read')
      if (version !== store.document.version)
        throw new Refused(409, { detail: 'The document just changed: look again.' })
      const ticked = `${content.slice(0, at)}[${done ? ' ' : 'x'}]${content.slice(at + 3)}`
      const summary = `${done ? 'Reopen' : 'Done'}: ${text}`.slice(0, 200)
      await change({ version, content }, ticked, summary)
    },
    ...PARTS,
  )
}

/** Says that a version was made, and offers to take it back. */
export function noteVersion(version, summary) {
  note(`Version ${version}: ${summary}`, () => undoVersion(version))
}

/** What a version changed is changed back, as a version of its own: versions are never taken back. */
function undoVersion(version) {
  return attempt(
    async () => {
      const [before, made, newest] = await Promise.all([
        versionText(version, version - 1),
        versionText(version, version),
        get('/workspace/read'),
      ])
      const undone = newest.version === version ? before : withoutChange({ before, made, newest, version })
      if (undone === newest.content) return note(`Nothing of version ${version} is left to undo.`)
      return change(newest, undone, `Undo version ${version}`)
    },
    ...PARTS,
  )
}

async function versionText(undone, version) {
  try {
    return (await get(`/workspace/read?version=${version}`)).content
  } catch (thrown) {
    if (!(thrown instanceof Refused) || thrown.reason !== 'version_pruned') throw thrown
    throw new Refused(410, {
      detail: `Version ${undone} cannot be undone: the text before is no longer kept.`,
    })
  }
}

function withoutChange({ before, made, newest, version }) {
  const merged = merge(made, newest.content, before)
  if (merged.kind === 'clean') return merged.text
  const detail = `Version ${version} cannot be undone: the same lines were changed since. Edit the text instead.`
  throw new Refused(409, { detail })
}

/**
 * Changes the newest document: a commit where the session may commit without a review, otherwise a proposal for the smallest
 * section. Only what changes is sent: a document may be larger than a request.
 */
async function change({ version: base_version, content: before }, after, summary) {
  const patch = patchBetween(before, after)
  const text = patch === undefined ? { content: after } : { patch }
  if (!may(store.room, 'admin')) {
    await post('/workspace/propose', { base_version, summary, ...text })
    return note(`Proposed: ${summary}`)
  }
  const { version } = await post('/workspace/commit', { base_version, summary, ...text })
  return noteVersion(version, summary)
}
