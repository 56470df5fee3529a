import { defineRefusals } from '../contract/refusals.ts'

/** What `satchel setup` refuses. */
export const refusals = defineRefusals({
  client_unknown: {
    code: 'not_found',
    message: 'satchel knows no client "{client}".',
    next: '{hint}',
  },
  client_without_scope: {
    code: 'invalid',
    message: '{client} has no configuration of a {scope}.',
    next: 'Pass --scope {other}.',
  },
  no_repository: {
    code: 'not_found',
    message: '{path} is in no git repository, so that git merges nothing here.',
    next: 'Run it in a repository, or leave out --git-merge.',
  },
  no_client_found: {
    code: 'not_found',
    message: 'No client that satchel knows is installed for this user.',
    next: 'Name one: satchel setup {example}. Known: {clients}.',
  },
  not_set_up: {
    code: 'not_found',
    message: 'There is no setup of satchel in {where}.',
    next: 'To make one: satchel setup.',
  },
  entry_not_of_setup: {
    code: 'not_found',
    message: '{entry} in {path} was not written by a setup, and is left as it is.',
    next: 'Delete it by hand if you do not want it.',
  },
  setup_not_confirmed: {
    code: 'invalid',
    message: 'Nothing was written: without a terminal the question cannot be answered.',
    next: 'Name the clients, or pass --yes.',
  },
  setup_declined: { code: 'cancelled', message: 'Nothing was written.' },
  setup_flags: { code: 'invalid', message: '{one} and {other} exclude each other.' },
  config_not_parsed: {
    code: 'invalid',
    message: '{path}, line {line}: {fault}.',
    next: 'The file is left as it is. Correct it, then try again.',
  },
  config_not_editable: {
    code: 'invalid',
    message: '{path} is valid and is left as it is, but satchel cannot edit its form (line {line}: {fault}).',
    next: '{by_hand}',
  },
  config_not_utf8: {
    code: 'invalid',
    message: '{path} is not UTF-8 text.',
    next: 'The file is left as it is. Save it as UTF-8, then try again.',
  },
  config_not_a_file: {
    code: 'invalid',
    message: '{path} is a folder or a device, not a file.',
    next: 'Move it away, then try again.',
  },
  config_too_large: {
    code: 'too_large',
    message: '{path} is larger than {max_bytes} bytes.',
    next: 'The file is left as it is. Make it smaller, then try again.',
  },
  config_link_leads_out: {
    code: 'forbidden',
    message: '{path} is or lies behind a symbolic link that leads out of {root}, or to nothing.',
    next: 'Replace the link, or edit its target yourself.',
  },
  config_read_only: {
    code: 'forbidden',
    message: '{path} is read-only.',
    next: 'The file is left as it is. Allow its owner to write it, then try again.',
  },
  config_not_yours: {
    code: 'forbidden',
    message: '{path} belongs to another user.',
    next: 'Run the setup as that user.',
  },
  config_no_access: {
    code: 'forbidden',
    message: 'This user may not read or write {path} ({error}).',
    next: 'Change its permissions, then try again.',
  },
  config_not_written: {
    code: 'unavailable',
    message: '{path} could not be written ({error}).',
    next: 'The file is left as it is. Let this user write there, then try again.',
  },
  config_changed: {
    code: 'conflict',
    message: '{path} was changed after its change was shown.',
    next: 'The file is left as it is. Try again.',
  },
  setup_running: {
    code: 'conflict',
    message: 'Another satchel setup of this user is running (process {pid}).',
    next: 'Try again when it has ended.',
  },
})
