import { type ErrorCode, isSatchelError, type NextStep, SatchelError } from '../../server/plugin.ts'

/** Every reason this plugin's errors and reports give: the code it stands under, and when. The docs are made from it. */
export const REASONS = {
  url_refused: ['invalid', 'The repository URL is of a form that is never passed to git.'],
  ref_refused: ['invalid', 'A branch or tag name breaks the rules of git.'],
  path_refused: ['invalid', 'A path inside a repository is absolute, climbs out or holds odd characters.'],
  name_refused: ['invalid', 'A repository name holds other characters than letters, digits, and . _ + -.'],
  config_invalid: [
    'invalid',
    'The configuration is no valid YAML or breaks the schema; `errors` names the lines.',
  ],
  options_invalid: ['invalid', 'Two inputs contradict each other, or a necessary one is missing.'],
  no_repositories: ['invalid', 'The run names no repository.'],
  host_refused: ['forbidden', 'A caller named a host that is not public and not in the configuration.'],
  auth_failed: ['forbidden', 'The remote wants other credentials than this machine has.'],
  git_ownership: ['forbidden', 'A local repository belongs to another user, which git refuses to read.'],
  repository_not_found: ['not_found', 'The remote has no such repository.'],
  ref_not_found: ['not_found', 'The remote has no such branch or tag.'],
  empty_repository: ['not_found', 'The repository holds no branch and no tag.'],
  no_module_files: ['not_found', 'No ref of the repository had a module file at the configured path.'],
  file_not_found: ['not_found', 'A file that was named does not exist.'],
  module_not_found: ['not_found', 'The index has no such module, repository or ref.'],
  no_index: ['not_found', 'Nothing has been ingested into this output directory yet.'],
  git_missing: ['unavailable', 'No git was found, or it is too old.'],
  network: ['unavailable', 'The remote could not be reached.'],
  timeout: ['unavailable', 'The remote did not answer in time.'],
  storage_failed: ['unavailable', 'The disk is full or read-only.'],
  repository_damaged: ['unavailable', 'The remote lacks objects of its own history.'],
  git_failed: ['unavailable', 'git failed for another reason, which the message quotes.'],
  first_ingest_running: ['unavailable', 'The first ingest is running in the background; ask again.'],
  repository_too_large: ['too_large', 'A repository is larger than the limits of this program.'],
  ingest_running: ['conflict', 'Another run holds the output directory or the clone.'],
  store_foreign: ['conflict', 'The place of a clone is taken by something satchel did not make.'],
  index_damaged: [
    'conflict',
    'The index cannot be read; `satchel modules rebuild` remakes it from the summaries.',
  ],
  file_exists: ['conflict', 'The file is there already and is not replaced.'],
  id_ambiguous: ['conflict', 'The id prefix fits several modules.'],
  embedding_key_missing: ['invalid', 'A hosted embedding strategy is configured without its key.'],
  embedding_url_refused: ['invalid', 'The base URL of an embedding service is neither https nor loopback.'],
  embeddings_disabled: ['invalid', 'A search by meaning was asked for and `embedding.enabled` is false.'],
  lexicon_invalid: ['invalid', '`satchel.lexicon.json` breaks its schema or its limits.'],
  no_vectors: ['not_found', 'The vector store holds nothing yet.'],
  embedding_mismatch: [
    'conflict',
    'The vector store was made with another strategy, model, size or lexicon.',
  ],
  store_damaged: ['conflict', 'The vector store cannot be read; nothing was changed.'],
  store_full: ['too_large', 'The vector file would pass its limits; a ChromaDB server has none.'],
  embedding_failed: ['unavailable', 'A text could not be embedded; the next ingest sends it again.'],
  transformers_missing: ['unavailable', 'The package of the strategy local-transformers is not installed.'],
  model_unavailable: ['unavailable', 'The local model could not be loaded.'],
  chroma_client_missing: ['unavailable', 'The package for a vector server is not installed.'],
  vector_store_unreachable: ['unavailable', 'The vector server does not answer.'],
  cancelled: ['cancelled', 'The run was cancelled.'],
  internal: ['internal', 'A fault of this program; the log has the details.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

export type Reason = keyof typeof REASONS

/** The error for `reason`, under its code. */
export function refusal(
  reason: Reason,
  message: string,
  extras: { details?: Readonly<Record<string, unknown>>; next?: NextStep; cause?: unknown } = {},
): SatchelError {
  return new SatchelError(REASONS[reason][0], reason, message, extras)
}

/** Whether a thrown value is the error of this reason. */
export function isReason(thrown: unknown, reason: Reason): boolean {
  return isSatchelError(thrown) && thrown.reason === reason
}
