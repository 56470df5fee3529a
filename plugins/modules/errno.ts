/** Whether a thrown value is an error of the system, with its code (`ENOENT`). */
export function isErrnoException(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).code === 'string'
}
