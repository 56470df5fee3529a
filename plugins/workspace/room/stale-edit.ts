import { newId } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Proposal } from '../domain/proposal.ts'
import type { FileVersion } from '../engine/file-version.ts'
import type { FileEdit } from '../engine/store.ts'
import type { Change } from './change.ts'
import { addVersion, getVersion, overtakenProposals, supersede, versionText } from './document.ts'
import { listed, participants, proposals } from './tables.ts'

/** Who proposes what was written into a copy of the file: it is not known who wrote it. */
const COPY = { participant_id: 'par_0000000000000001', name: 'copy of the file' } as const

/**
 * An edit of a copy of the file that is not the newest version: merged with what came since, else left as a proposal, so
 * that neither side is lost. What a newer version has already is left alone.
 */
export function staleEdit(change: Change, edit: FileEdit, base: FileVersion | undefined): void {
  const { tx, analysis } = change
  const known = base && knownBase(change, base)
  const before = known && versionText(tx, known.version)
  const merged = before === undefined ? undefined : analysis.merge(before, tx.documentText(), edit.text)
  const isMerged = merged?.kind === 'clean' && Buffer.byteLength(merged.text) <= LIMITS.documentBytes
  if (known && isMerged) addMerged(change, merged.text, known)
  else propose(change, edit, known ?? { version: tx.document.version, hash: tx.document.hash })
}

/** The base if it is a version of this room: the database may have been restored to an earlier state. */
function knownBase({ tx }: Change, base: FileVersion): FileVersion | undefined {
  if (base.version > tx.document.version) return undefined
  return getVersion(tx, base.version).content_hash === base.hash ? base : undefined
}

function addMerged(change: Change, text: string, base: FileVersion): void {
  const { tx } = change
  if (text === tx.documentText()) return
  const summary = `external edit of version ${base.version}, merged`
  const document = tx.setDocument(text)
  addVersion(change, document, { source: 'external', target: 'workspace', summary })
  const payload = { target: 'workspace', base_version: base.version, status: 'external', summary }
  change.emit({ type: 'change.committed', version: document.version, payload })
  supersede(change, overtakenProposals(change), document.version)
}

function propose(change: Change, edit: FileEdit, base: FileVersion): void {
  const { tx, now, random } = change
  // An owner that ended before it replaced the file has left it already.
  if (listed<Proposal>(tx, 'proposal_open').some(({ content_hash }) => content_hash === edit.hash)) return
  if (!participants.find(tx, COPY.participant_id)) {
    participants.put(tx, {
      ...COPY,
      kind: 'human',
      capabilities: [],
      joined_at: now,
      last_seen: now,
      left_at: now,
    })
  }
  const proposal: Proposal = {
    proposal_id: newId('prop', random),
    participant_id: COPY.participant_id,
    target: 'workspace',
    base_version: base.version,
    base_region_hash: base.hash,
    content_hash: tx.putBody(edit.text),
    content_bytes: edit.bytes,
    summary: 'edit of a copy of the file, which does not fit what was committed meanwhile',
    status: 'pending',
    created_at: now,
  }
  proposals.put(tx, proposal)
  const { proposal_id, participant_id, target, base_version, status, summary } = proposal
  const payload = { proposal_id, target, base_version, status, summary }
  change.emit({ type: 'proposal.created', actor: participant_id, payload })
}
