const programs = "portico|openstack|kubectl|aws|s3cmd|rclone|docker|terraform"

/** A command behind a colon, at the end: it is copied as it stands. */
const endsWithCommand = new RegExp(`: (?:${programs}) [^']*$`)

/** With its full stop, unless it has one or ends with a command. */
export const sentence = (text: string): string =>
  /[.!?:]$/.test(text) || endsWithCommand.test(text) ? text : `${text}.`
