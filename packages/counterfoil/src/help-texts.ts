import type { OperationName } from '@counterfoil/protocol'
import { EXIT_CODE_HELP } from './exit-codes.ts'

/** An example of `report`. */
export const REPORT_EXAMPLE = `
Example:
  export COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop
  counterfoil report transactions-list --control-key-file key.txt \\
    --from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga -o may.csv`

const INPUT_NOTES = `
Your key: --control-key-file or --private-key, or the control key itself in the
environment variable COUNTERFOIL_CONTROL_KEY. It is never an argument, because
every user of the machine can see arguments.
An input file may be /dev/stdin or <(command), but not -.`

/** The end of the help of `report`. */
export const REPORT_NOTES = `${INPUT_NOTES}

The file appears only if the report is complete: its digest and its row count
agree with the digest and the count that the gateway sends. With -o - the bytes
appear as they arrive, and the exit code says whether the report is complete.
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
