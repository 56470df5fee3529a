/** Deepest nesting that is accepted (mcp, section 4): recursive code overflows far above it. */
export const MAX_JSON_DEPTH = 100
/** Most values in one text. The largest legal input, a record of 5,000 items, has fewer. */
export const MAX_JSON_VALUES = 50_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const CLOSE_LIST = 0x5d
const CLOSE_OBJECT = 0x7d

/**
 * Names the bound that a JSON text exceeds, before it is parsed: the work of a schema grows with the values it meets.
 * Of a text that is not JSON the answer means nothing, and its parser refuses it.
 */
export function excessOfJson(text: string): 'depth' | 'values' | undefined {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
    }
    if (depth > MAX_JSON_DEPTH) return 'depth'
    if (values > MAX_JSON_VALUES) return 'values'
  }
  return undefined
}

function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === BACKSLASH) at++
    else if (char === QUOTE) return at
  }
  return text.length
}
