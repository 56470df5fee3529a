/** Time without request and stream after which a session of an older revision ends (mcp, section 6). */
export const SESSION_IDLE_MS = 30 * 60_000
/** Maximum number of sessions of one principal (mcp, section 6). */
export const SESSIONS_OF_PRINCIPAL = 32
