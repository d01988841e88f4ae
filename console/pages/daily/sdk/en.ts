/** The words of programs, which playground and docs share. */
export const words = {
  sdk: "SDK",
  language: "Language",
  install: "Command that installs the SDK",
  program: "Program",
};
