/** The time in which a document has the main thread. Long work waits for the next turn when one is over. */
export interface Turn {
  readonly isOver: boolean
  next(): Promise<void>
}
