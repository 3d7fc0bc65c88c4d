/** Loaded by `node --import` before the program: its clock is wrong by CLOCK_SHIFT_MILLISECONDS. */
const shift = Number(process.env.CLOCK_SHIFT_MILLISECONDS);
const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...parameters) {
    if (parameters.length === 0) super(RealDate.now() + shift);
    else super(...parameters);
  }

  static now() {
    return RealDate.now() + shift;
  }
};
