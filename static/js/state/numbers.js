/**
 * Numbers as people type them. Pure.
 *
 * @typedef {{whole?: boolean, min?: number, max?: number, above?: number}} Range  `above`: it has to be more than that
 */

import { t } from "../i18n/index.js";

/** @returns {{value: number|null, fault: string|null}} an empty text is no number and no fault */
export function readNumber(text, range = {}) {
  const digits = String(text).normalize("NFKC").replace(/\s/g, "");
  if (digits === "") return { value: null, fault: null };
  const value = /^-?\d*\.?\d+$/.test(digits) ? Number(digits) : NaN;
  const fault = faultOf(value, range);
  return fault ? { value: null, fault } : { value, fault: null };
}

function faultOf(value, { whole = false, min = -Infinity, max = Infinity, above = -Infinity }) {
  if (Number.isNaN(value)) return t("form.number");
  if (whole && !Number.isInteger(value)) return t("form.whole");
  if (value >= min && value <= max && value > above) return null;
  if (above > -Infinity) return t("form.above", { above });
  return max < Infinity ? t("form.range", { min, max }) : t("form.least", { min });
}
