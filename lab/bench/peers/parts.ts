/** What is compared with rivals; each part takes some minutes and can be run by itself. */
export const PEER_PARTS = ['start', 'records', 'vectors', 'journal', 'fanout', 'ingest'] as const
export type PeerPart = (typeof PEER_PARTS)[number]
