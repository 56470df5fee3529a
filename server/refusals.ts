import { defineRefusals } from './contract/refusals.ts'

/** The refusals of the host at every door: calls, configuration and plugins. */
export const refusals = defineRefusals({
  invalid_arguments: { code: 'invalid', message: '{field}: {fault}' },
  input_not_object: {
    code: 'invalid',
    reason: 'invalid_arguments',
    message: 'The input must be a JSON object.',
  },
  unknown_argument: { code: 'invalid', message: 'Unknown argument "{name}".', next: '{hint}' },
  session_needed: {
    code: 'unauthorized',
    reason: 'unauthorized',
    message: 'This needs a session of the plugin {plugin}.',
    next: '{how}',
  },
  permission_denied: { code: 'forbidden', message: 'This session may not do that.' },
  capability_missing: {
    code: 'forbidden',
    reason: 'permission_denied',
    message: 'This session may not do that.',
    next: 'It needs the capability "{capability}".',
  },
  cancelled: { code: 'cancelled', message: 'The call was cancelled.' },
  internal: { code: 'internal', message: 'Internal error' },
  too_many_files: {
    code: 'unavailable',
    message: 'The process has as many files and connections open as it may.',
    next: 'Try again in a few seconds, or raise its limit (ulimit -n).',
  },

  call_timeout: {
    code: 'unavailable',
    message: 'The call took longer than {seconds} s and was ended.',
    next: 'Ask for less, or raise tools.call_limit_s.',
  },
  call_cpu_limit: {
    code: 'unavailable',
    message: 'The call needed more than {seconds} s of the processor and was ended.',
    next: 'Ask for less, or raise tools.call_cpu_s.',
  },

  config_missing: {
    code: 'not_found',
    reason: 'config_not_found',
    message: 'The configuration file {file} does not exist.',
    next: 'Write one with: satchel init {file}',
  },
  config_unreadable: {
    code: 'not_found',
    reason: 'config_not_found',
    message: 'The configuration file {file} cannot be read ({error}).',
    next: 'Let this user read it, or name another one with --config.',
  },
  config_not_a_file: {
    code: 'not_found',
    reason: 'config_not_found',
    message: 'The configuration file {file} is a folder, pipe or device.',
    next: 'Name a regular file.',
  },
  config_too_large: {
    code: 'not_found',
    reason: 'config_not_found',
    message: 'The configuration file {file} is larger than 16 MiB.',
  },
  config_not_utf8: {
    code: 'invalid',
    message: 'The configuration file {file} is not UTF-8 text.',
    next: 'Save it as UTF-8: PowerShell 5 writes UTF-16 unless it is told otherwise.',
  },
  config_syntax: { code: 'invalid', message: '{file}:{line}:{column}: {fault}' },
  config_invalid: { code: 'invalid', message: '{place}{key}: {fault}' },
  unknown_key: { code: 'invalid', message: '{place}unknown key "{key}".', next: '{hint}' },

  plugin_not_found: {
    code: 'invalid',
    message: 'The plugin "{name}" was not found from the configuration file.',
    next: 'Install it there, or correct the name.',
  },
  plugin_not_exported: {
    code: 'invalid',
    reason: 'plugin_not_found',
    message: 'The package of the plugin "{name}" exports it only under "import".',
    next: 'Export it under "default".',
  },
  plugin_path: {
    code: 'invalid',
    reason: 'plugin_not_found',
    message: 'The plugin "{name}" is the name of a package that was not found.',
    next: 'For the file beside the configuration file write "./{name}".',
  },
  plugin_load: {
    code: 'internal',
    message: 'The plugin {file} threw an error while it was imported.',
    next: 'See the log.',
  },
  plugin_load_timeout: {
    code: 'unavailable',
    message: 'The plugin {file} was not imported within {seconds} s.',
    next: 'Its module waits for something: move that to the first call.',
  },
  plugin_syntax: {
    code: 'invalid',
    reason: 'plugin_load',
    message: '{place}: {fault}.',
    next: 'Correct the plugin.',
  },
  plugin_import: {
    code: 'invalid',
    reason: 'plugin_load',
    message: 'The plugin {file} cannot be imported: {fault}.',
    next: 'Correct the import, install the package, or compile the file to JavaScript.',
  },
  plugin_api: {
    code: 'invalid',
    message: 'The plugin {file} is made for apiVersion {stated}; this satchel has {supported}.',
    next: 'Install a matching release.',
  },
  plugin_shape: { code: 'invalid', message: '{file} is not a satchel plugin: {fault}.' },
  plugin_declaration: {
    code: 'invalid',
    reason: 'plugin_shape',
    message: 'The plugin "{plugin}" ({source}): {fault}.',
  },
  plugin_setup: {
    code: 'internal',
    message: 'The plugin "{plugin}" ({source}) failed in setup.',
    next: 'See the log.',
  },
  plugin_setup_timeout: {
    code: 'unavailable',
    message: 'The plugin "{plugin}" did not finish setup within {seconds} s.',
    next: 'setup builds declarations only; move other work to start or to the first call.',
  },
  evidence_unknown: {
    code: 'invalid',
    message: 'No plugin here provides evidence of the kind "{kind}".',
  },
  evidence_timeout: {
    code: 'unavailable',
    message: 'The check of "{kind}" took longer than {seconds} s.',
  },
  search_timeout: {
    code: 'unavailable',
    message: 'The search took longer than {seconds} s.',
    next: 'Ask again, or use the search of this kind alone.',
  },
  plugin_stop_timeout: {
    code: 'unavailable',
    message: 'The plugin "{plugin}" did not stop within {seconds} s.',
  },
  plugin_authenticate_timeout: {
    code: 'unavailable',
    message: 'The plugin "{plugin}" did not decide about a caller within {seconds} s.',
    next: 'Try again.',
  },
  plugin_start: {
    code: 'internal',
    message: 'The plugin "{plugin}" failed in start.',
    next: 'See the log.',
  },
  plugin_start_timeout: {
    code: 'unavailable',
    message: 'The plugin "{plugin}" did not start within {seconds} s.',
  },
  name_taken: {
    code: 'conflict',
    message: 'The {name} is declared by both "{first}" and "{second}".',
    next: 'Rename it in one of the two, or list only one plugin.',
  },
  name_declared_twice: {
    code: 'conflict',
    reason: 'name_taken',
    message: 'The plugin "{plugin}" declares the {name} twice.',
    next: 'Rename one of the two.',
  },
  name_of_host: {
    code: 'conflict',
    reason: 'name_taken',
    message: 'The plugin "{plugin}" ({source}) declares the {name}, which {owner} has.',
    next: 'Rename it in the plugin.',
  },
  plugin_name_taken: {
    code: 'conflict',
    reason: 'name_taken',
    message: 'Two plugins are called "{plugin}": {first} and {second}.',
    next: 'Rename one, or list only one.',
  },
  too_early: { code: 'internal', message: 'A listener can be opened only after setup.' },

  unknown_tool: { code: 'not_found', message: 'The server offers no tool "{tool}" over REST.' },
  unreachable: {
    code: 'unavailable',
    message: 'The server cannot be reached.',
    next: 'Check that it is running.',
  },
  unexpected_answer: {
    code: 'internal',
    message: 'The server answered with status {status} and no error that this client knows.',
  },
})
