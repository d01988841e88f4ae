/** A fault in the settings of a stage. Its message is all that whoever deploys needs to know. */
export class SettingError extends Error {}
