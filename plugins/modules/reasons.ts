import { defineRefusals, type ErrorCode, isSatchelError } from '../../server/plugin.ts'
import { callReasons } from './call-reasons.ts'
import { catalogueReasons } from './catalogue-reasons.ts'
import { registryReasons } from './registry-reasons.ts'

const OTHER_COLLECTION = 'Set another embedding.collection_name and run ingest again.'

const rowsOf =
  <const Code extends ErrorCode, const Reason extends string>(code: Code, reason: Reason) =>
  <const Text extends string>(message: Text) =>
    ({ code, reason, message }) as const

const options = rowsOf('invalid', 'options_invalid')
const refusedUrl = rowsOf('invalid', 'url_refused')
const refusedPath = rowsOf('invalid', 'path_refused')
const refusedHost = rowsOf('forbidden', 'host_refused')
const missingRef = rowsOf('not_found', 'ref_not_found')
const missingFile = rowsOf('not_found', 'file_not_found')
const tooLarge = rowsOf('too_large', 'repository_too_large')
const noGit = rowsOf('unavailable', 'git_missing')
const network = rowsOf('unavailable', 'network')
const gitFailed = rowsOf('unavailable', 'git_failed')
const otherStore = rowsOf('conflict', 'embedding_mismatch')
const noServer = rowsOf('unavailable', 'vector_store_unreachable')
const notStored = rowsOf('unavailable', 'storage_failed')
const damagedIndex = rowsOf('conflict', 'index_damaged')
const damagedStore = rowsOf('conflict', 'store_damaged')

/** Every refusal of this plugin. Several rows may share a reason. */
export const refusals = defineRefusals({
  // The URL, ref and path of a repository
  url_refused: refusedUrl('This repository URL is not accepted: {why}.'),
  http_refused: refusedUrl('http repositories are read only when the configuration names them; use https.'),
  host_missing: refusedUrl('The URL names no host.'),
  host_refused: refusedHost(
    'This host is not on the public internet. The operator can allow it by naming a repository of it in the configuration.',
  ),
  ssh_host_refused: refusedHost(
    'With an ssh command of its own this machine reads only ssh hosts that the configuration names.',
  ),
  service_refused: refusedHost(
    'embedding.{field} names a service that is not in the configuration of this server. Its operator can add it there.',
  ),
  ref_refused: { code: 'invalid', message: 'A branch or tag name is not valid: {name}.' },
  full_ref_refused: {
    code: 'invalid',
    reason: 'ref_refused',
    message: 'Only refs/heads/… and refs/tags/… can be named in full.',
  },
  path_refused: refusedPath(
    'A path inside a repository is relative, without "..", backslashes or control characters.',
  ),
  glob_refused: refusedPath('A pattern of exclude_paths is empty, absolute or contains "..".'),
  glob_syntax_refused: refusedPath(
    'exclude_paths knows *, ** and ?, but no braces or brackets: write one pattern for each; ? matches such a character in a name.',
  ),
  name_refused: {
    code: 'invalid',
    message: 'A repository name is 1 to 100 letters, digits, dots, underscores, plus signs or hyphens.',
  },
  // Configuration and inputs
  config_invalid: { code: 'invalid', message: 'The configuration is not valid{where}: {why}' },
  config_too_large: {
    code: 'invalid',
    reason: 'config_invalid',
    message: 'The configuration file is larger than 1 MiB.',
  },
  no_repositories: {
    code: 'invalid',
    message: 'No repositories are configured.',
    next: 'Name them under "repositories", or run `satchel init` for a sample.',
  },
  two_sources: options('Give config_file or repositories, not both.'),
  module_unnamed: options('Name a module by id, or by repository (and ref, path).'),
  cursor_refused: options('The cursor was not given out by this tool; ask again without one.'),
  field_unknown: options('A summary has no field {field}. {hint}'),
  input_unknown: options('The module has no {what} {name}.{hint}'),
  query_unreadable: options('The query must be readable text of 1 to 2,000 characters.'),
  weights_zero: options('embedding.keyword_weight and vector_weight are both 0: raise one of them.'),
  collection_refused: options('embedding.collection_name takes 3 to 512 of letters, digits, and . _ -'),
  lexicon_invalid: {
    code: 'invalid',
    message: '{file} (line {line}): {why}.',
    next: 'Correct it, or move it away from the configuration.',
  },
  file_exists: {
    code: 'conflict',
    message: 'The file already exists and was not changed.',
    next: 'Choose another name.',
  },
  file_not_found: missingFile('The configuration file does not exist or cannot be read.'),
  file_not_regular: missingFile('The configuration file is a folder, pipe or device. Name a regular file.'),
  // The remote
  auth_failed: {
    code: 'forbidden',
    message: 'The remote refused the credentials of this machine.',
    next: 'Check the SSH key, the credential helper or netrc.',
  },
  host_key_unknown: {
    code: 'forbidden',
    reason: 'auth_failed',
    message: 'The key of the ssh host is not known on this machine, or has changed.',
    next: 'Compare it with the key that the owner of the host publishes, add it to known_hosts, and run again.',
  },
  git_ownership: {
    code: 'forbidden',
    message: 'The local repository belongs to another user.',
    next: "Its owner can run satchel, or add it to git's safe.directory.",
  },
  repository_not_found: {
    code: 'not_found',
    message: 'The remote has no such repository, or this machine may not see it.',
    next: 'Check the URL.',
  },
  ref_not_found: missingRef('The remote has no branch or tag {name}. {hint}'),
  no_tag_admitted: missingRef('The remote has no tag that the version constraint {constraint} admits.'),
  commit_not_given: missingRef(
    'The remote has no such commit, or gives out only what a branch or tag names.',
  ),
  ref_disappeared: missingRef('The ref no longer exists, or names no commit.'),
  default_branch_unknown: missingRef('The remote names no default branch. Name the branches to read.'),
  empty_repository: { code: 'not_found', message: 'The repository is empty: it has no branch and no tag.' },
  no_module_files: {
    code: 'not_found',
    message: 'No ref had a module file at {path}.{elsewhere}',
    next: 'Name another {place}.',
  },
  git_missing: noGit('git could not be started. Is it on the PATH?'),
  git_too_old: noGit('No usable git was found. Install git 2.31 or newer and put it on the PATH.'),
  git_cannot_pin: noGit(
    'Reading a host that the configuration does not name needs git 2.37 or newer. Name the host in the configuration.',
  ),
  network: network('The remote could not be reached. Check the network and the URL.'),
  host_unresolved: network('The host of the repository could not be resolved. Check the URL.'),
  certificate_untrusted: network(
    "The remote's certificate is not trusted on this machine. Check the URL, or name its authority in git's http.sslCAInfo.",
  ),
  timeout: { code: 'unavailable', message: 'The remote did not answer in time.', next: 'Try again later.' },
  repository_timeout: {
    code: 'unavailable',
    reason: 'timeout',
    message: 'The repository took longer than the time allowed for one repository.',
  },
  repository_damaged: {
    code: 'unavailable',
    message: 'The remote lacks objects of its own history.',
    next: 'It may be a partial or damaged copy.',
  },
  directory_missing: {
    code: 'unavailable',
    reason: 'repository_damaged',
    message: 'The clone lacks a directory of this ref.',
    next: 'The remote may be a partial or damaged copy.',
  },
  git_failed: gitFailed('git failed: {quoted}'),
  git_redirected: gitFailed(
    'The remote redirects to another URL, which is not followed. Use the URL of the redirect.',
  ),
  git_ended: gitFailed('git ended while objects were read.'),
  repository_too_large: tooLarge('The repository is too large: {why}.'),
  answer_too_large: tooLarge('git {command} answered too many bytes.'),
  clone_too_large: tooLarge(
    'The clone is larger than {size}. Name fewer refs, and run once with --cleanup to clone it again.',
  ),
  ref_too_large: tooLarge('The ref has {modules} modules with {files} files; name a path or exclude_paths.'),
  module_files_too_large: tooLarge('The module files of this ref exceed 256 MiB.'),
  asked_too_large: tooLarge(
    'Reading {ref} takes more than 256 MiB, too much for an answer; name the ref in the configuration and run `satchel ingest`.',
  ),
  ...registryReasons,
  // Output directory, clones and index
  storage_failed: {
    ...notStored('{where} could not be written.'),
    next: 'Check the free space and its permissions, then run again.',
  },
  folder_in_place: {
    ...notStored('A folder is in the place of the file {file}.'),
    next: 'Move it away, then run again.',
  },
  output_not_readable: {
    ...notStored('The output directory cannot be read ({code}).'),
    next: 'Check its permissions, or name another output_dir.',
  },
  clone_not_written: {
    ...notStored('The clone could not be written.'),
    next: 'Check the free space and the permissions of clone_dir.',
  },
  store_foreign: {
    code: 'conflict',
    message: 'The place for this clone is taken by something else.',
    next: 'Choose another clone_dir.',
  },
  ...catalogueReasons,
  first_ingest_running: {
    code: 'unavailable',
    message: 'The first ingest is running ({done} of {total}).',
    next: 'Ask again in a little while.',
  },
  cancelled: { code: 'cancelled', message: 'The run was cancelled.' },
  evidence_names: options('The evidence cannot be captured: {fault}.'),
  index_damaged: {
    ...damagedIndex('The module index cannot be read; nothing was changed.'),
    next: 'Run `satchel modules rebuild` to rebuild it from the summaries.',
  },
  index_is_folder: {
    ...damagedIndex(
      'A folder is in the place of the module index, .satchel/index.json; nothing was changed.',
    ),
    next: 'Move it away, then run `satchel modules rebuild`.',
  },
  index_newer: {
    ...damagedIndex('The module index was written by a newer version of satchel; nothing was changed.'),
    next: 'Use that version, or another output_dir.',
  },
  clone_dir_is_file: {
    code: 'invalid',
    message: 'The folder of the clones, {folder}, is a file. For a configuration: `satchel ingest FILE`.',
  },
  summary_damaged: {
    ...damagedIndex('A summary that the index names is missing or damaged.'),
    next: 'Run `satchel ingest` again.',
  },
  ...callReasons,
  // Vectors
  embeddings_disabled: {
    code: 'invalid',
    message: 'Searching by meaning needs vectors, and embedding.enabled is false.',
    next: 'Search with mode keyword (`satchel search --mode keyword`), or set embedding.enabled to true and run `satchel ingest`.',
  },
  no_vectors: {
    code: 'not_found',
    message: 'The vector store is empty.',
    next: 'Run: satchel ingest',
  },
  embedding_key_missing: {
    code: 'invalid',
    message: 'The strategy {strategy} needs a key: set {field} or {variable}.',
  },
  embedding_url_refused: {
    code: 'invalid',
    message:
      'The base URL of the embedding service must be https, without user information; http only on loopback.',
  },
  embedding_failed: {
    code: 'unavailable',
    message: 'No vector: {why}.',
    next: 'The next ingest sends just what is missing.',
  },
  query_not_embedded: {
    code: 'unavailable',
    reason: 'embedding_failed',
    message: 'The query could not be embedded: {why}.',
    next: 'Try again, or search with mode keyword.',
  },
  transformers_missing: {
    code: 'unavailable',
    message: 'The strategy local-transformers needs a package: npm install @huggingface/transformers',
  },
  model_unavailable: {
    code: 'unavailable',
    message: 'The model "{model}" of embedding.sentence_transformers_model could not be loaded from {place}.',
    next: 'Name a folder that holds it, or run once with access to the network.',
  },
  chroma_client_missing: {
    code: 'unavailable',
    message: 'A vector server needs a package: npm install chromadb',
  },
  vector_store_unreachable: noServer(
    'The vector server {host}:{port} does not answer. Start it, or correct embedding.vectordb_host and vectordb_port.',
  ),
  vector_server_unknown: noServer(
    'The server at {host}:{port} is not a ChromaDB server of version 1 (API v2). Correct embedding.vectordb_host and vectordb_port, or start another version.',
  ),
  vector_server_refuses: noServer(
    'The vector server {host}:{port} wants credentials, which satchel does not send.',
  ),
  embedding_mismatch: otherStore(
    'This vector store was made with {held}; the configuration asks for {wanted}. A changed strategy needs a store of its own: set another embedding.vectordb_path or collection_name and run ingest again. The old directory is not changed; its owner may remove it.',
  ),
  lexicon_mismatch: otherStore(
    'This vector store was made with another lexicon or tokenizer. Run: satchel modules rebuild',
  ),
  dimension_mismatch: {
    ...otherStore('The collection holds vectors of another dimension.'),
    next: OTHER_COLLECTION,
  },
  collection_shared: {
    ...otherStore(
      'The collection also holds {count} records that are not in these summaries; their vectors cannot be computed here.',
    ),
    next: OTHER_COLLECTION,
  },
  store_damaged: {
    ...damagedStore('The vector store {file} cannot be read: {why}.'),
    next: 'Run: satchel modules rebuild, or ingest into another embedding.vectordb_path.',
  },
  store_newer: {
    ...damagedStore('The vector store {place} is of a newer version of satchel; nothing was changed.'),
    next: 'Use that version, or set another embedding.vectordb_path or collection_name.',
  },
  store_full: {
    code: 'too_large',
    message: 'One update of the vector store with {records} records is larger than 2 GB.',
    next: 'Ingest fewer repositories in one run, or use a ChromaDB server: embedding.vectordb_host.',
  },
})

export type Refusals = typeof refusals

/** Whether a thrown value is an error of this reason. */
export function isReason(thrown: unknown, reason: keyof Refusals): boolean {
  return isSatchelError(thrown) && thrown.reason === reason
}
