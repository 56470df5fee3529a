/** Everything a plugin may import from the host (published as `satchel/plugin`). */

// First: a plugin with tools, settings and errors.

export type { CallContext, Log } from './contract/context.ts'
export type { ErrorCode, FieldError, NextStep } from './contract/errors.ts'
export { errorBody, errorFromBody, isSatchelError, SatchelError } from './contract/errors.ts'
export type { Finding, Host, Plugin, PluginInstance } from './contract/plugin.ts'
export { definePlugin } from './contract/plugin.ts'
export { defineRefusals, type Refusal } from './contract/refusals.ts'
export type { HttpRoute, Profile, Tool } from './contract/tool.ts'
export { defineTool } from './contract/tool.ts'
export { untrusted } from './contract/untrusted.ts'

// Advanced: resources, prompts, streams, tasks, sessions, routes and commands.

export type { BackupStore, StorePart } from './contract/advanced/backup.ts'
export type { Command, Terminal } from './contract/advanced/command.ts'
export { defineCommand } from './contract/advanced/command.ts'
export type {
  CopiedRecords,
  Database,
  DatabaseStore,
  SqlRow,
  SqlValue,
  StoreLag,
} from './contract/advanced/database.ts'
export { changedTool } from './contract/advanced/declared-tool.ts'
export type {
  CapturedEvidence,
  EvidenceFinding,
  EvidenceKind,
  EvidenceKinds,
  EvidencePlace,
  EvidenceVerdict,
} from './contract/advanced/evidence.ts'
export { EVIDENCE_VERDICTS } from './contract/advanced/evidence.ts'
export { inWords } from './contract/advanced/in-words.ts'
export type { Measurement } from './contract/advanced/measurement.ts'
export type { Capability, Credentials, Principal } from './contract/advanced/principal.ts'
export { CAPABILITIES } from './contract/advanced/principal.ts'
export type { Prompt } from './contract/advanced/prompt.ts'
export { definePrompt } from './contract/advanced/prompt.ts'
export { quoting } from './contract/advanced/quoting.ts'
export type { RemoteMcp } from './contract/advanced/remote.ts'
export type { Resource } from './contract/advanced/resource.ts'
export { defineResource } from './contract/advanced/resource.ts'
export type { OpenListener, Route, RouteContext, RouteDocument } from './contract/advanced/route.ts'
export type { Found, FoundGroup, FoundPage, Searcher } from './contract/advanced/searcher.ts'
export type { Inbox, Reading, Stream } from './contract/advanced/stream.ts'
export { defineStream } from './contract/advanced/stream.ts'
export type { TaskStarted, TaskState, Tasks } from './contract/advanced/task.ts'
export { taskStarted } from './contract/advanced/task.ts'
export type { TypedFiles } from './contract/advanced/verb.ts'

// Platform: one implementation of what several plugins need. Text:

export { BYTES_PER_TOKEN } from './answer/bounds.ts'
export { plainText } from './answer/plain-text.ts'
export { counted } from './platform/counted.ts'
export { firstBytes } from './platform/first-bytes.ts'
export { withoutComments } from './platform/html-comments.ts'
export { editDistance, nearest } from './platform/nearest.ts'
export { openableAddress } from './platform/openable-address.ts'
export { isReadable } from './platform/readable-text.ts'
export { isSecureAddress } from './platform/secure-address.ts'
export { cleanText, fenced } from './platform/untrusted.ts'
export { decodeUtf8 } from './platform/utf8.ts'
export { hasHidden, mixesScripts, showHidden, visibleLine, withoutHidden } from './platform/visible-text.ts'

// Data:

export { canonicalJson } from './platform/canonical-json.ts'
export { addTo, grouped } from './platform/grouped.ts'
export { excessOfJson, MAX_JSON_VALUES } from './platform/json-bounds.ts'
export { isJsonObject, parsedJson } from './platform/json-object.ts'
export { isLargeJson, jsonPieces } from './platform/json-pieces.ts'
export { once, onceFor } from './platform/once.ts'
export { pacedBody, slicesOf } from './platform/paced-body.ts'
export type { CursorKey } from './platform/page-cursor.ts'
export { compareKeys, cursorOf, keyIn, numberIn, questionName } from './platform/page-cursor.ts'
export { matchesGlob } from './platform/path-glob.ts'
export { readYaml } from './platform/read-yaml.ts'
export { keepRecent } from './platform/recent.ts'
export { atOnce, inTurns, nextTurn, type Pieces } from './platform/turns.ts'

// Files:

export type { Disk, FileFacts } from './platform/disk.ts'
export {
  allWritten,
  isFlushFailure,
  orMissing,
  realDisk,
  removeQuietly,
  systemCode,
} from './platform/disk.ts'
export {
  createFileDurably,
  makeDirectoryDurably,
  replaceFile,
  writeFileDurably,
} from './platform/durable-file.ts'
export {
  appendToFile,
  createFile,
  makeFolder,
  makeFolderSync,
  openToRead,
  removeFile,
  removeFileSync,
  removeTree,
  withScratchFolder,
} from './platform/file-tree.ts'
export { IGNORE_FILE, ignoreFolder } from './platform/git-ignored.ts'
export { homeFolder } from './platform/home-folder.ts'
export { confineTo, isInside } from './platform/paths.ts'
export { gitRootOf, requireProject } from './platform/project-folder.ts'
export { readBounded, readRegularFile } from './platform/regular-file.ts'
export { writeFault } from './platform/write-access.ts'

// Processes and locks:

export { backgroundCall } from './platform/background-call.ts'
export { cleanGitEnvironment, runGit, startGit } from './platform/git.ts'
export { createIdleThread } from './platform/idle-thread.ts'
export type { LockFiles, LockRecord } from './platform/lock-file.ts'
export { newestLock } from './platform/lock-file.ts'
export { ancestorProcesses, type ProcessMark } from './platform/process-ancestors.ts'
export type { Processes } from './platform/process-liveness.ts'
export { judgeProcess, type ProcessIdentity, systemProcesses } from './platform/process-liveness.ts'
export type { LockAttempt, LockOptions, ProcessLock } from './platform/process-lock.ts'
export { isWithoutLinks, takeLock, waitForLock } from './platform/process-lock.ts'
export { inTightHeap } from './platform/tight-heap.ts'
export { withUserLock } from './platform/user-lock.ts'
