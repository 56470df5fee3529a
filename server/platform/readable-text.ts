/** Whether text that a caller gave is text: half of a surrogate pair, or NUL, is in nothing that can be searched. */
export function isReadable(text: string): boolean {
  return !(text.includes('\0') || /[\ud800-\udfff]/u.test(text))
}
