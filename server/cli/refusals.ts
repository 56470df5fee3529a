import { defineRefusals } from '../contract/refusals.ts'

/** The refusals of the command line itself. */
export const refusals = defineRefusals({
  unknown_verb: { code: 'invalid', message: 'unknown verb "{verb}".', next: '{hint}See: {help}' },
  missing_verb: { code: 'invalid', message: 'name a verb.', next: 'See: {help}' },
  missing_argument: { code: 'invalid', message: 'missing {names}.', next: 'See: {help}' },
  invalid_arguments: { code: 'invalid', message: '{field}: {fault}', next: 'See: {help}' },
  unknown_option: { code: 'invalid', message: '{problem}', next: 'See: {help}' },
  option_missing_argument: { code: 'invalid', message: '{problem}', next: 'See: {help}' },
  invalid_argument: { code: 'invalid', message: '{problem}', next: 'See: {help}' },
  excess_arguments: { code: 'invalid', message: '{problem}', next: 'See: {help}' },
  unexpected_typing: {
    code: 'invalid',
    reason: 'invalid_arguments',
    message: '{problem}',
    next: 'See: {help}',
  },
  never_answered: {
    code: 'internal',
    message: 'The {what} gave no answer: it waits for a promise that nothing will settle.',
    next: 'Correct the plugin that has it.',
  },
  interrupted: { code: 'cancelled', message: 'Interrupted.' },

  file_not_found: { code: 'not_found', message: 'There is no file {file}.' },
  not_a_file: { code: 'invalid', message: '{file} is a folder, not a file.' },
  file_not_readable: { code: 'forbidden', message: 'This user may not read {file}.' },
  not_utf8: { code: 'invalid', message: '{file} is not UTF-8 text.' },
  input_too_large: { code: 'too_large', message: '{file} is larger than {max_bytes} bytes.' },
  input_not_json: {
    code: 'invalid',
    message: '{file} {fault}.',
    next: '--input takes the whole input as one JSON object.',
  },
  too_deep: { code: 'invalid', message: '{file} nests deeper than {levels} levels.' },
  output_not_written: {
    code: 'invalid',
    message: 'The result could not be written to {file} ({error}).',
    next: 'Name another file with --output.',
  },
  output_disk_full: {
    code: 'unavailable',
    reason: 'output_not_written',
    message: 'The result could not be written to {file}: the disk is full.',
    next: 'Name another file with --output.',
  },

  unknown_client: {
    code: 'not_found',
    message: 'No facts are known about the client "{client}".',
    next: '{hint}',
  },
  plugin_name: {
    code: 'invalid',
    message: '"{name}" is not a plain npm name.',
    next: 'Use lower case letters, digits and hyphens.',
  },
  plugin_name_taken: {
    code: 'conflict',
    reason: 'name_taken',
    message: 'A plugin "{name}" would have the verb "{verb}", which {owner} has.',
    next: 'Choose another name, such as satchel-my-{verb}.',
  },
  folder_exists: {
    code: 'conflict',
    message: 'The folder {folder} is not empty.',
    next: 'Choose another name.',
  },
  not_a_folder: {
    code: 'conflict',
    reason: 'folder_exists',
    message: '{folder} exists and is not a folder.',
    next: 'Choose another name.',
  },
  plugin_not_found: { code: 'not_found', message: 'There is nothing at {path}.' },
  plugin_manifest_missing: {
    code: 'not_found',
    reason: 'plugin_not_found',
    message: '{path} has no package.json.',
    next: "Name the plugin's file.",
  },
  config_invalid: {
    code: 'invalid',
    message: 'The plugin does not accept these settings ({fault}).',
    next: 'Pass --settings JSON.',
  },
  plugin_findings: {
    code: 'invalid',
    message: 'The check reported {count} findings.',
    next: 'See: satchel plugin check {path}',
  },
  npm_failed: {
    code: 'unavailable',
    message: 'npm could not pack the folder.',
    next: 'Run `npm pack` there to see why.',
  },
})
