import type { OperationName } from '@counterfoil/protocol'
import { EXIT_CODE_HELP } from './exit-codes.ts'

/** The first steps of a new user. */
export const PROGRAM_EXAMPLE = `
Examples:
  counterfoil init
  counterfoil reports
  counterfoil report transactions-list --from 2026-05-01 -o may.csv`

/** Examples of `report`. */
export const REPORT_EXAMPLE = `
Examples, with a profile (counterfoil init):
  counterfoil report transactions-list --timezone Europe/Riga \\
    --from 2026-05-01 --to 2026-06-01 -o may.csv
  counterfoil report transactions-list --since-last -o 'tx-{from}-{to}.csv'
  counterfoil report transactions-list --from 2026-05-01 --for-excel de`

const INPUT_NOTES = `
Your key: --control-key-file or --private-key, or the control key itself in the
variable COUNTERFOIL_CONTROL_KEY or in the profile. On a terminal the command
asks for a missing key. A key is never an argument, because every user of the
machine can see arguments.
An input file may be /dev/stdin or <(command), but not -.`

/** The end of the help of `report`. */
export const REPORT_NOTES = `${INPUT_NOTES}

In the file name, {report}, {from} and {to} stand for the report and the bounds
of the period. With --since-last, {from} and {to} are the times of the last run
and of this one. The first run gets every row of the request. Each later run
gets the rows that are new or changed since. The command keeps where it stopped
beside the profile, for each report, its parameters and filters. It moves on
only when the file is complete.

The file appears only if the report is complete: its digest and, for CSV, its
row count agree with those that the gateway sends. With -o - the bytes appear as
they arrive, and the exit code says whether the report is complete.
${EXIT_CODE_HELP}`

/** The end of the help of each operation. */
export const CALL_NOTES = `
The example needs the environment variables COUNTERFOIL_API_URL,
COUNTERFOIL_LOGIN and COUNTERFOIL_CONTROL_KEY_FILE.
${INPUT_NOTES}

Card numbers and verification values come from a file or from an environment
variable, never from an argument. The gateway checks the fields. The command
always prints the answer as a line of JSON: there is no --json.
${EXIT_CODE_HELP}`

const CALL_EXAMPLE = `
Example, with a test card:
  echo 9001000000000000 > card.txt`

/** A call of each operation that a sandbox accepts. */
export const CALL_EXAMPLES: Readonly<Record<OperationName, string>> = {
  'pan-eligibility': `${CALL_EXAMPLE}
  counterfoil call pan-eligibility --endpoint 100 --client-order-id try-1 \\
    --sending-card-number-file card.txt --card-printed-name 'Anna Ozola' \\
    --expire-month 12 --expire-year 2031`,
  transfer: `${CALL_EXAMPLE}
  echo 123 > cvv2.txt
  counterfoil call transfer --endpoint 100 --client-order-id try-2 \\
    --amount 10.42 --currency EUR --credit-card-number-file card.txt \\
    --cvv2-file cvv2.txt --expire-month 12 --expire-year 2031 \\
    --card-printed-name 'Anna Ozola' --destination-card-no-file card.txt`,
  'transfer-by-ref': `${CALL_EXAMPLE}
  counterfoil call transfer-by-ref --endpoint 100 --client-order-id try-3 \\
    --amount 10.42 --currency EUR --destination-card-no-file card.txt`,
  payout: `${CALL_EXAMPLE}
  counterfoil call payout --endpoint 100 --client-order-id try-4 \\
    --amount 10.42 --currency EUR --credit-card-number-file card.txt`,
}
