/** What grows. Each part is measured alone and takes from seconds to some minutes. */
export const CURVE_PARTS = ['records', 'modules', 'document', 'events', 'readers', 'plugins'] as const
export type CurvePart = (typeof CURVE_PARTS)[number]
