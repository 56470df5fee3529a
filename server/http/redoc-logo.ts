/** What the reference page would load from another host. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const OWN_LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"

/** The reference page's program, asking nothing of the network. Undefined when the string to replace is not in it. */
export function withoutForeignLogo(program: string): string | undefined {
  return program.includes(FOREIGN_LOGO) ? program.replaceAll(FOREIGN_LOGO, OWN_LOGO) : undefined
}
