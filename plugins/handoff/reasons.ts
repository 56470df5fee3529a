import { defineRefusals } from '../../server/plugin.ts'

/** What is wrong with a file of the store. The file itself is never changed. */
const FILE = {
  message: '{path} {detail}.',
  next: 'The file was not changed. Correct it in an editor, then try again.',
} as const

const ARGUMENTS = { code: 'invalid', reason: 'invalid_arguments' } as const

const NO_RECORD = { code: 'not_found', reason: 'record_not_found' } as const

/** Every refusal of this plugin. A row whose name is not its reason says what else the reason covers. */
export const refusals = defineRefusals({
  fresh_without_record: { code: 'invalid', message: 'Freshness is that of a handoff record: name one.' },
  evidence_not_captured: {
    code: 'invalid',
    message: 'The evidence {name} of the kind "{kind}" cannot be captured: {why}',
    next: 'Correct the member, or leave it out.',
  },
  schema_invalid: {
    code: 'invalid',
    message: 'The record does not match its schema: {place}: {fault}.',
    next: 'Nothing was written. Correct the record, then try again.',
  },
  checks_failed: {
    code: 'invalid',
    message: 'These checks failed: {names}.',
    next: 'Correct the record, then try again.',
  },
  bad_json: { code: 'invalid', message: '{what} is not JSON at line {line}, column {column}.' },
  file_bad_json: {
    code: 'invalid',
    reason: 'bad_json',
    message: FILE.message,
    next: 'The file was not changed. After a failed git merge, satchel handoff doctor --fix repairs it; correct other damage in an editor.',
  },
  file_schema_invalid: { code: 'invalid', reason: 'schema_invalid', ...FILE },
  not_utf8: { code: 'invalid', ...FILE },
  wrong_id: { code: 'invalid', ...FILE },
  not_a_file: { code: 'invalid', ...FILE },
  folder_given: {
    code: 'invalid',
    reason: 'not_a_file',
    message: '"{path}" is a folder.',
    next: 'Give a file.',
  },
  duplicate_keys: {
    code: 'invalid',
    message: 'The file names {pointer} twice.',
    next: 'Keep one of the two in an editor, then try again.',
  },
  protected_pointer: {
    code: 'invalid',
    message: '{part} cannot be edited.',
    next: 'Use the tool that maintains it, such as handoff_transition for the status.',
  },
  patch_failed: {
    code: 'invalid',
    message: 'Operation {index} ({op} {path}) failed: {why}.',
    next: 'Nothing was changed.',
  },
  ambiguous_markdown: {
    code: 'invalid',
    message: 'The file holds two records.',
    next: 'Keep one block, then try again.',
  },
  unknown_field: { code: 'invalid', message: 'There is no field "{name}" at position {at}.', next: '{hint}' },
  bad_cursor: {
    code: 'invalid',
    message: 'The cursor does not belong to this request.',
    next: 'Repeat the request without a cursor.',
  },
  use_merge: {
    code: 'invalid',
    message: 'handoff_branch does not join records; nothing was written.',
    next: 'Use handoff_merge, or the command satchel handoff merge.',
  },
  too_few_parents: {
    code: 'invalid',
    message: 'A merge needs at least two different records.',
    tool: 'handoff_list',
  },
  one_argument: { ...ARGUMENTS, message: 'Give exactly one of {names}.' },
  one_id: { ...ARGUMENTS, message: 'Give one id, or several ids with format jsonl.' },
  status_or_flags: {
    ...ARGUMENTS,
    message: 'Give the id of a record and a status in "to", or flags in "clear_flags".',
    next: 'At the command line: satchel handoff set-status latest ready.',
  },
  empty_note: { ...ARGUMENTS, message: 'text: a note needs words.', next: 'Nothing was written.' },
  reason_missing: { ...ARGUMENTS, message: 'clear_flags needs a reason.' },
  label_missing: { ...ARGUMENTS, message: 'A fork needs a branch_label that says what it tries.' },
  unknown_value: { ...ARGUMENTS, message: '{field} must be one of {values}.{hint}' },
  not_a_time: { ...ARGUMENTS, message: '{name} must be a time such as 2026-09-02T14:30:00Z.' },
  bad_offset: {
    ...ARGUMENTS,
    message: 'offset must be a value from an earlier answer, at most {bytes}.',
    next: 'Read from offset 0 again.',
  },
  not_a_record: { ...ARGUMENTS, message: '{name} must be an id or a record.' },
  bad_resolution: { ...ARGUMENTS, message: '{problem}.', next: 'Nothing was written.' },
  record_not_found: {
    code: 'not_found',
    message: 'There is no record "{id}" in this project.',
    tool: 'handoff_list',
  },
  latest_is_ahead: {
    ...NO_RECORD,
    message: 'No record is the latest: {id} is dated ahead of the clock of this machine.',
    next: 'Resume it by its id, and compare the clocks.',
  },
  no_record: {
    ...NO_RECORD,
    message: 'This project has no handoff record yet.',
    next: 'Create one with handoff_create, or begin with the command satchel handoff note.',
  },
  no_record_in_database: {
    ...NO_RECORD,
    message: 'The database has no such record. {folder} has {count} that it lacks.',
    next: 'Copy them into the database with satchel storage import, then try again.',
  },
  no_record_in_worktree: {
    ...NO_RECORD,
    message:
      'There is no record here. This is a linked work tree, and its repository is not where it was: the records are in the main work tree.',
    next: 'Run git worktree repair in the main work tree, with the path of this one.',
  },
  no_open_conflicts: { ...NO_RECORD, message: 'The record has no open conflicts.' },
  ambiguous_id: {
    code: 'not_found',
    message: '"{id}" matches {count} records.',
    next: 'Give more digits.',
    tool: 'handoff_list',
  },
  parent_not_found: {
    code: 'not_found',
    message: 'There is no record "{id}" to continue; nothing was written.',
    tool: 'handoff_list',
  },
  pointer_not_found: { code: 'not_found', message: 'There is no value at "{pointer}".' },
  no_text: { code: 'not_found', reason: 'pointer_not_found', message: 'There is no text at "{pointer}".' },
  file_not_found: { code: 'not_found', message: 'There is no file "{path}".' },
  file_failed: {
    code: 'not_found',
    reason: 'file_not_found',
    message: 'The file "{path}" cannot be read ({error}).',
  },
  exists: { code: 'conflict', message: 'Record {id} exists already; it was not changed.' },
  idempotency_mismatch: {
    code: 'conflict',
    message:
      'This idempotency_key was used for another request, which wrote record {id}; nothing was written.',
    next: 'Use a new key.',
  },
  etag_mismatch: {
    code: 'conflict',
    message: 'The record changed after it was read.',
    next: 'Read it again and repeat the change on the new version.',
  },
  locked: {
    code: 'conflict',
    message: '{name} is locked by {holder}; nothing was changed.',
    next: 'Try again.',
  },
  illegal_transition: {
    code: 'conflict',
    message: 'A record that is {from} cannot become {to}; it can become {allowed}.',
  },
  other_status: {
    code: 'conflict',
    reason: 'illegal_transition',
    message: 'The record is {status}, not {expected}; nothing was changed.',
    next: 'Read it again, then decide.',
  },
  immutable: {
    code: 'conflict',
    message: 'The record is {status}: its content can no longer change.',
    next: 'Amend it with handoff_branch, which makes a child.',
  },
  force_reason_missing: {
    code: 'conflict',
    reason: 'immutable',
    message: 'A released record is redacted only with a force_reason.',
  },
  flagged: { code: 'conflict', message: 'The record is flagged {flags}.', next: 'Resolve that first.' },
  flagged_conflicted: {
    code: 'conflict',
    reason: 'flagged',
    message: 'The record is flagged conflicted: another one continues the same parent, or differs from it.',
    next: 'Compare them, then clear the flag with clear_flags and a reason, at the command line --clear-flags.',
  },
  invalid_flag: {
    code: 'conflict',
    reason: 'flagged',
    message: 'The flag "invalid" is cleared by the next check run that passes.',
  },
  needs_acknowledgement: {
    code: 'conflict',
    message: 'The checks found warnings.',
    next: 'Read them, then give the reason to accept them: accept_warnings, at the command line --accept-warnings.',
  },
  not_actionable: {
    code: 'conflict',
    message: 'The record names no next step.',
    next: 'Give an open item a suggested_action, or list what is completed.',
  },
  conflicts_unresolved: {
    code: 'conflict',
    message: 'The record has open conflicts in {places}.',
    next: 'Decide them with handoff_merge, in child and resolutions, or the command satchel handoff merge; handoff_resume shows both sides.',
  },
  claimed: {
    code: 'conflict',
    message: 'Session {by} works on this record until {expires_at}.',
    next: 'Read its brief meanwhile.',
  },
  no_successor: {
    code: 'conflict',
    message: 'No released record continues this one.',
    next: 'Archive it instead.',
  },
  path_refused: { code: 'forbidden', message: '"{path}" cannot be read.' },
  secret_found: {
    code: 'forbidden',
    message: 'The record holds a secret.',
    next: 'Import it with secrets: redact.',
  },
  record_too_large: {
    code: 'too_large',
    message: 'The record has {actual} bytes; at most {limit} are stored.',
    next: '{advice}',
  },
  too_deep: {
    code: 'too_large',
    message: 'The record is nested {actual} levels deep; at most {limit} are stored.',
    next: '{advice}',
  },
  too_many_items: {
    code: 'too_large',
    message: 'The record has {actual} items; at most {limit} are stored.',
    next: '{advice}',
  },
  too_many_values: {
    code: 'too_large',
    message: 'The text has more than {limit} values.',
    next: 'Shorten it, then try again.',
  },
  file_too_large: { code: 'too_large', reason: 'record_too_large', ...FILE },
  file_too_deep: { code: 'too_large', reason: 'too_deep', ...FILE },
  file_not_read: {
    code: 'too_large',
    reason: 'record_too_large',
    message: 'The file has more than {limit} bytes; it was not read.',
  },
  bundle_too_large: {
    code: 'too_large',
    message: 'There are {count} records; at most {limit} are taken in one call.',
    next: 'Split them.',
  },
  store_unwritable: {
    code: 'unavailable',
    message: 'The folder {folder} of the handoff store cannot be used ({code}); nothing was changed.',
    next: 'Check who owns it and its permissions, then try again.',
  },
  store_not_a_folder: {
    code: 'unavailable',
    reason: 'store_unwritable',
    message: 'The folder {folder} of the handoff store is a link or a file; nothing was written.',
    next: 'Replace it with a folder, or set handoff.store to another one.',
  },
  disk_full: {
    code: 'unavailable',
    message: 'The disk is full; nothing was changed.',
    next: 'Free some space, then try again.',
  },
  no_hard_links: {
    code: 'unavailable',
    message: 'The file system of the handoff store has no hard links.',
    next: 'Set handoff.store to a folder on a file system that has them.',
  },
  project_unnamed: {
    code: 'invalid',
    message:
      'This project has no name in the database: it has no git history here, and no config.json in its store.',
    next: 'Set handoff.project.',
  },
  history_untold: {
    code: 'unavailable',
    message: 'git took too long to find the first commit, which names this project in the database.',
    next: 'Try again, run git commit-graph write --reachable, or set handoff.project.',
  },
  copy_differs: {
    code: 'conflict',
    message: '{records} in both with other bytes, such as {id}; nothing was copied.',
    next: 'Keep both: satchel handoff import .handoffs --on-conflict new_id, in a project that has the other side.',
  },
  copy_unreadable: {
    code: 'invalid',
    message: '{path} is not a file of a record that could be copied; nothing was copied.',
    next: 'Correct or remove it.',
  },
})
