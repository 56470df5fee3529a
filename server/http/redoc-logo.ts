/** The file that the reference page would load from another host. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const OWN_LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"

/** Returns the program of the reference page without its network request. Undefined if the string to replace is missing. */
export function withoutForeignLogo(program: string): string | undefined {
  return program.includes(FOREIGN_LOGO) ? program.replaceAll(FOREIGN_LOGO, OWN_LOGO) : undefined
}
