import type { Field } from './operation.ts'

// Fields that several operations share.

/** The merchant's order id, which is the idempotency key: the gateway answers the same id with the same answer. */
export const CLIENT_ORDER_ID: Field = {
  name: 'client_orderid',
  otherName: 'client-order-id',
  title: "the merchant's order id",
  kind: 'identifier',
  lengthMax: 128,
  required: true,
}

/** The amount, in the currency's major units. */
export const AMOUNT: Field = {
  name: 'amount',
  title: "the amount, in the currency's major units",
  kind: 'amount',
  lengthMax: 10,
  required: true,
}

/** The currency of the amount. */
export const CURRENCY: Field = {
  name: 'currency',
  title: 'the currency (ISO 4217)',
  kind: 'currency',
  lengthMin: 3,
  lengthMax: 3,
  required: true,
}

/** The IP address of the payer or the receiver. */
export const IP_ADDRESS: Field = {
  name: 'ipaddress',
  title: "the customer's IPv4 or IPv6 address",
  kind: 'ip',
  lengthMin: 7,
  lengthMax: 45,
}

/** The card that pays, or that a payout goes to. */
export const CREDIT_CARD_NUMBER: Field = {
  name: 'credit_card_number',
  title: "the card's number",
  kind: 'card',
  lengthMin: 12,
  lengthMax: 19,
}

/** The verification value of the card. */
export const CVV2: Field = {
  name: 'cvv2',
  title: "the card's verification value",
  kind: 'cvv',
  lengthMin: 3,
  lengthMax: 4,
}

/** The name on the card. */
export const CARD_PRINTED_NAME: Field = {
  name: 'card_printed_name',
  title: 'the name on the card',
  kind: 'text',
  lengthMax: 128,
}

/** The month in which the card expires. */
export const EXPIRE_MONTH: Field = {
  name: 'expire_month',
  title: 'the month in which the card expires',
  kind: 'month',
  lengthMin: 2,
  lengthMax: 2,
}

/** The year in which the card expires. */
export const EXPIRE_YEAR: Field = {
  name: 'expire_year',
  title: 'the year in which the card expires',
  kind: 'year',
  lengthMin: 4,
  lengthMax: 4,
}

/** The card that receives the money. */
export const DESTINATION_CARD: Field = {
  name: 'destination-card-no',
  title: 'the number of the card that receives the money',
  kind: 'card',
  lengthMin: 16,
  lengthMax: 19,
}

/** Creates an optional text field. */
export function text(name: string, title: string, lengthMax: number): Field {
  return { name, title, kind: 'text', lengthMax }
}

/** Creates an optional field for a telephone number. */
export function phone(name: string, title: string, lengthMax: number): Field {
  return { name, title, kind: 'phone', lengthMax }
}

/** Creates an optional field for an identifier. */
export function identifier(name: string, title: string, lengthMax: number): Field {
  return { name, title, kind: 'identifier', lengthMax }
}

/** Creates an optional field for the URL that a gateway tells the result. */
export function callbackUrl(lengthMax: number): Field {
  const title = 'the URL for the result; the sandbox checks it and never calls it'
  return url('server_callback_url', title, lengthMax)
}

/** Creates an optional field for the gateway's id of a stored card. */
export function cardReference(name: string, title: string): Field {
  return { name, title, kind: 'card-id', lengthMax: 20 }
}

/** Creates an optional field for a URL of the merchant. */
export function url(name: string, title: string, lengthMax: number): Field {
  return { name, title, kind: 'url', lengthMin: 'http://a'.length, lengthMax }
}
