/**
 * Quantiles of the distributions of amounts, lags and rates. They are constants, because logarithms and exponentials
 * differ between machines in their last digit.
 */

/** exp(sigma × normal), in thousandths, at 64ths. The ends are -2.7 and 3.2 standard deviations. */
export const LOG_NORMAL = {
  narrow: [
    115, 179, 225, 262, 293, 322, 348, 374, 398, 422, 446, 469, 492, 515, 537, 560, 583, 606, 629,
    653, 676, 700, 725, 750, 775, 801, 827, 854, 882, 910, 939, 969, 1000, 1032, 1065, 1099, 1134,
    1171, 1209, 1249, 1290, 1334, 1380, 1428, 1478, 1532, 1589, 1650, 1715, 1785, 1861, 1943, 2033,
    2133, 2243, 2368, 2510, 2675, 2870, 3109, 3412, 3822, 4438, 5602, 12936,
  ],
  medium: [
    67, 116, 155, 187, 216, 242, 268, 292, 317, 340, 364, 388, 412, 436, 460, 485, 509, 535, 560,
    587, 613, 641, 669, 698, 727, 758, 789, 821, 854, 889, 925, 962, 1000, 1040, 1082, 1125, 1170,
    1218, 1268, 1320, 1375, 1434, 1495, 1561, 1630, 1705, 1784, 1870, 1963, 2064, 2174, 2294, 2428,
    2577, 2746, 2937, 3159, 3421, 3736, 4128, 4637, 5344, 6441, 8618, 24533,
  ],
  wide: [
    30, 61, 89, 113, 136, 158, 180, 202, 224, 246, 269, 292, 316, 340, 364, 390, 416, 443, 471, 500,
    530, 561, 593, 626, 661, 697, 735, 774, 815, 858, 903, 950, 1000, 1052, 1107, 1165, 1227, 1292,
    1361, 1435, 1513, 1597, 1687, 1784, 1888, 2001, 2123, 2257, 2403, 2565, 2744, 2944, 3169, 3424,
    3717, 4058, 4461, 4947, 5548, 6316, 7347, 8835, 11263, 16445, 64072,
  ],
} as const

export const LOG_NORMAL_INTERVALS = 64

/** Tenths of days between a transaction and its root, at 32nds. */
export const LAGS = {
  /** On the day of the root. */
  sameDay: Array<number>(33).fill(0),
  /** A geometric distribution with a mean of 6 days. */
  refund: [
    0, 2, 4, 6, 9, 11, 13, 16, 19, 21, 24, 27, 30, 34, 37, 41, 45, 49, 54, 58, 64, 69, 75, 82, 90,
    99, 109, 120, 135, 154, 180, 225, 600,
  ],
  /** A gamma distribution of shape 2 with a mean of 35 days, at most 120. */
  complaint: [
    0, 48, 71, 90, 107, 123, 138, 153, 168, 183, 198, 213, 228, 244, 260, 277, 294, 312, 330, 350,
    371, 393, 417, 443, 471, 503, 539, 581, 631, 695, 783, 929, 1210,
  ],
  /** Nearly half on the day itself, the last after a week. */
  capture: [
    0, 0, 1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 11, 12, 14, 15, 17, 18, 20, 23, 26, 29, 33, 38,
    44, 51, 59, 68, 80,
  ],
} as const

export const LAG_INTERVALS = 32

/** The longest lag. */
export const LAG_DAYS_MAX = 120

/** Approvals of 10,000: beta(20, 7) at the middles of 16ths. */
export const APPROVALS = [
  5732, 6265, 6560, 6778, 6960, 7119, 7264, 7401, 7533, 7664, 7796, 7934, 8082, 8250, 8458, 8789,
] as const

export const DAYTIME_INTERVALS = 64

/** The second of a shop's day at which each 64th of the day's transactions is reached. Few are at night. */
export const DAYTIME_SECONDS = [
  0, 5343, 14287, 20615, 23925, 26223, 28012, 29515, 30792, 32070, 33229, 34347, 35465, 36518,
  37512, 38506, 39500, 40493, 41487, 42481, 43447, 44341, 45236, 46130, 47050, 48043, 49037, 50031,
  51103, 52221, 53339, 54457, 55575, 56692, 57787, 58781, 59775, 60768, 61706, 62600, 63495, 64389,
  65239, 66052, 66865, 67678, 68484, 69229, 69975, 70720, 71465, 72210, 72956, 73701, 74446, 75192,
  76005, 76899, 77793, 78688, 79746, 81024, 82301, 84164, 86400,
] as const

export const RANK_INTERVALS = 512

/**
 * The rank of the merchant at each 512th of the volume, by Zipf's law with an exponent of about 1.1. The exponent is 1
 * + 1/16 + 1/32 + 1/128, because square roots are the same on every machine. The last element is one past the last
 * rank.
 */
export function merchantRanks(merchants: number): readonly number[] {
  const root = (value: number, times: number): number => {
    return times === 0 ? value : root(Math.sqrt(value), times - 1)
  }
  const weights = Array.from({ length: merchants }, (_, index) => {
    const rank = index + 1
    return 1 / (rank * root(rank, 4) * root(rank, 5) * root(rank, 7))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const ranks: number[] = []
  let before = 0
  for (const [index, weight] of weights.entries()) {
    before += weight
    while (ranks.length < RANK_INTERVALS && before * RANK_INTERVALS > total * ranks.length) {
      ranks.push(index + 1)
    }
  }
  return [...ranks, merchants + 1]
}
