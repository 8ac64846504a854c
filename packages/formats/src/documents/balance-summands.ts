/**
 * Turns the balances of statements into numbers to sum. The rows of an account follow each other: the sum of its opening
 * balances is that of its first row, and the sum of its closing balances is that of its last row.
 */
export class BalanceSummands {
  #account: string | undefined
  #closing = 0n

  /** Returns what a row adds to the sums of opening and of closing balances. */
  of(account: string, opening: bigint, closing: bigint): readonly [bigint, bigint] {
    const isFirst = account !== this.#account
    const before = isFirst ? 0n : this.#closing
    this.#account = account
    this.#closing = closing
    return [isFirst ? opening : 0n, closing - before]
  }
}
