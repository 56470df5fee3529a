/** Every limit of the room. Those of the specification name their source; the others are ours (design workspace, section 11). */
export const LIMITS = {
  /** spec workspace-events "Limits" */
  eventsKept: 2000,
  /** spec workspace-events "Limits" */
  subscriberFrames: 64,
  /** code points; spec workspace-events "Event envelope" */
  eventSummaryChars: 240,
  /** spec workspace-events "Limits" */
  documentResourceBytes: 1024 * 1024,
  /** spec workspace-events "Browser stream format" */
  heartbeatMs: 15_000,
  /** spec workspace-events "Browser stream format" */
  retryMs: 5000,
  /** spec workspace-events "Page behavior" */
  pageReloadMs: 30_000,

  storedSummaryChars: 2000,
  requestBodyBytes: 1024 * 1024,
  documentBytes: 4 * 1024 * 1024,
  proposalBytes: 256 * 1024,
  handoffRecordBytes: 256 * 1024,
  /** beside the owner's own */
  liveSessions: 32,
  pendingProposalsPerParticipant: 100,
  nameChars: 80,
  targetChars: 512,
  reasonChars: 2000,
  callsPerMinute: 600,
  joinsPerMinute: 10,
  leaseMinutes: 15,
  leaseMaxMinutes: 120,
  inviteMinutes: 60,
  inviteMaxMinutes: 7 * 24 * 60,
  inviteMaxUses: 1000,
  sessionMinutes: 8 * 60,
  observeStreamsPerSession: 16,
  observeStreamsPerRoom: 256,
  terminalProposalContents: 200,
  idempotencyKeysPerParticipant: 1000,
  idempotencyHours: 24,
  listRows: 200,
  diffBytes: 16 * 1024,
  staleChanges: 20,
  lastSeenSeconds: 60,
  claimMinutes: 10,
} as const
