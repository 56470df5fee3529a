/** The refusals about modules and calls that a caller names: rows of the table in `reasons.ts`. */
export const callReasons = {
  module_not_found: {
    code: 'not_found',
    message: 'The index has no {what} {name}.{hint}',
    tool: 'list_repositories',
  },
  no_root_module: {
    code: 'not_found',
    reason: 'module_not_found',
    message: '{repository} has no module at its root. It has {near}.',
    next: 'Name one as path.',
    tool: 'list_repositories',
  },
  id_ambiguous: {
    code: 'conflict',
    message: 'The id prefix {prefix} fits {count} modules.',
    next: 'Give more of it.',
  },
  name_ambiguous: {
    code: 'conflict',
    reason: 'id_ambiguous',
    message: '{count} repositories are called {name}: {candidates}.',
    next: 'Give the URL.',
  },
  path_missing_at_ref: {
    code: 'not_found',
    reason: 'module_not_found',
    message: '{repository} has no module at {path} in {ref}.{hint}',
    tool: 'list_repositories',
  },
  ref_deleted: {
    code: 'not_found',
    reason: 'module_not_found',
    message: '{ref} was deleted from {repository}.',
    next: 'Name another ref.',
  },
  path_in_submodule: {
    code: 'not_found',
    message: '{path} of {repository} in {ref} is in the submodule {submodule}, which is not read.',
    next: 'Name the repository of the submodule in the configuration.',
  },
  asked_too_often: {
    code: 'rate_limited',
    message: 'One call reads at most {count} refs that are not indexed.',
    next: 'Ask for the rest with another call, or ingest them.',
  },
  module_removed: {
    code: 'conflict',
    message: '{path} was removed from {repository} in {since}; {last} was the last release with it.{hint}',
    next: 'Use what replaced it, or name the ref to call it anyway.',
    tool: 'list_repositories',
  },
  no_module_calls: {
    code: 'not_found',
    message: 'There is no module block{called} in {where}.',
    next: 'Name a file or directory with one.',
  },
  call_not_indexed: {
    code: 'not_found',
    message: 'Line {line}: the call "{name}" is of {source}, which is not an indexed module.',
    next: 'Name its repository in the configuration and run `satchel ingest`.',
    tool: 'list_repositories',
  },
  call_ambiguous: {
    code: 'conflict',
    message: 'Line {line}: the source of the call "{name}" fits several repositories: {candidates}.',
    next: 'Name one in registry_aliases, or its URL in the source.',
  },
  call_is_local: {
    code: 'invalid',
    message: 'Line {line}: the call "{name}" is of a local directory, which has no versions.',
  },
  call_is_computed: {
    code: 'invalid',
    message:
      'Line {line}: the source or version of the call "{name}" is an expression, so its module is not known.',
    next: 'Change it by hand, or write the source out.',
  },
  call_overridden: {
    code: 'conflict',
    message: 'Line {line}: {by} overrides the source or version of the call "{name}".',
    next: 'Change that block by hand, or remove it.',
  },
  call_ref_unknown: {
    code: 'not_found',
    message:
      'Line {line}: the call "{name}" names {ref}, which is not indexed, so it cannot be compared.{why}',
    next: 'Ingest that ref too: raise max_tags of the repository.',
  },
  call_ref_missing: {
    code: 'not_found',
    reason: 'call_ref_unknown',
    message:
      'Line {line}: the call "{name}" names {ref}, which its repository does not have, so it cannot be compared.{why}',
    next: 'Change it by hand to a ref that is there.',
  },
  call_path_missing: {
    code: 'not_found',
    reason: 'call_ref_unknown',
    message: 'Line {line}: the call "{name}" cannot be compared. {why}',
    tool: 'list_repositories',
  },
  target_ref_unknown: {
    code: 'not_found',
    message: 'The index has no ref {ref} of {repository}{at}.{hint}',
    next: 'Name one of its refs.',
    tool: 'list_module_versions',
  },
  target_path_missing: {
    code: 'not_found',
    reason: 'target_ref_unknown',
    message: '{repository} has no module at {path} in {ref}: it was removed or moved.{hint}',
    tool: 'list_repositories',
  },
  nothing_to_upgrade: {
    code: 'conflict',
    message: 'Line {line}: the call "{name}" is of {ref} already.',
  },
  call_file_missing: {
    code: 'not_found',
    reason: 'file_not_found',
    message: '{file} does not exist.',
  },
  call_file_unreadable: {
    code: 'invalid',
    reason: 'file_not_text',
    message: '{file} is not a regular file of UTF-8 text with at most 1 MiB.',
  },
  tree_too_large: {
    code: 'invalid',
    message: '{path} has more than {count} files of Terraform code.',
    next: 'Name a directory below it, or leave some out with --exclude.',
  },
  file_not_written: {
    code: 'unavailable',
    reason: 'storage_failed',
    message: '{file} could not be written; it is as it was.',
    next: 'Check its permissions and the free space.',
  },
  file_changed: {
    code: 'conflict',
    message: '{file} was changed by another program meanwhile, and was not written.',
    next: 'Run the command again.',
  },
} as const
