/** The refusals about module registries and the packages that they name: rows of the table in `reasons.ts`. */
const network = { code: 'unavailable', reason: 'network' } as const
const missing = { code: 'not_found', reason: 'repository_not_found' } as const
const noVersion = { code: 'not_found', reason: 'ref_not_found' } as const
const archive = { code: 'invalid', reason: 'archive_refused' } as const

export const registryReasons = {
  registry_absent: {
    ...missing,
    message: '{host} offers no module registry: /.well-known/terraform.json names no "modules.v1".',
    next: 'Check the host in the address.',
  },
  registry_module_missing: {
    ...missing,
    message: 'The registry {host} has no such module, or this machine may not see it.',
    next: 'Check the address, [host/]namespace/name/provider, and for a private one its token: {variable}.',
  },
  registry_without_versions: {
    ...missing,
    message: 'The registry {host} lists no version of the module.',
  },
  registry_version_missing: {
    ...noVersion,
    message: '{host} lists the version and does not have its files.',
  },
  registry_directory_missing: {
    ...noVersion,
    message: 'The repository of the version lacks the directory that the registry {host} names.',
  },
  registry_unauthorized: {
    code: 'forbidden',
    reason: 'auth_failed',
    message:
      '{host} refused the request. A token of another host is never sent there, and none after a redirect.',
    next: 'Set {variable}, or add a credentials block for the host to .terraformrc.',
  },
  registry_unresolved: { ...network, message: 'The host {host} could not be resolved. Check the address.' },
  registry_untrusted: {
    ...network,
    message: 'The certificate of {host} is not trusted on this machine.',
    next: 'Name the file of its authority in SSL_CERT_FILE.',
  },
  registry_unreachable: {
    ...network,
    message: '{host} could not be reached ({why}).',
    next: 'Try again later.',
  },
  registry_silent: {
    code: 'unavailable',
    reason: 'timeout',
    message: '{host} did not answer in time.',
    next: 'Try again later.',
  },
  registry_answer: {
    code: 'unavailable',
    message: '{host} answered {what} in place of what a registry answers.',
  },
  registry_answer_too_large: {
    code: 'too_large',
    reason: 'package_too_large',
    message: '{host} answered more than {size}.',
  },
  registry_redirected: { code: 'unavailable', message: '{host} redirects {why}, which is not followed.' },
  package_address_refused: {
    code: 'invalid',
    message: 'The address that {host} gave for the files of the version is not accepted: {why}.',
  },
  package_too_large: { code: 'too_large', message: 'The archive of {host} is too large: {why}.' },
  archive_refused: { ...archive, message: 'The archive of {host} was not read: {why}.' },
  archive_path_refused: {
    ...archive,
    message: 'The archive of {host} was not read: it has a path that leads out of it.',
  },
  checksum_mismatch: {
    code: 'conflict',
    message:
      'The archive of {host} does not have the {algorithm} checksum that the registry names; it was not read.',
    next: 'Its publisher has to correct one of them.',
  },
} as const
