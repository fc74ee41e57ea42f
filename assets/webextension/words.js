// How sizes, speeds and times are written.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function size(byteCount) {
  let value = byteCount;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function speed(bytesPerSecond) {
  return `${size(bytesPerSecond)}/s`;
}

export function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

// Returns the line below the bar of a row.
export function facts(row) {
  const parts = [row.state];
  if (row.state === "completed") parts.push(size(row.bytesReceived));
  else if (row.bytesExpected > 0) {
    const percent = Math.floor((100 * row.bytesReceived) / row.bytesExpected);
    parts.push(`${percent} % of ${size(row.bytesExpected)}`);
  } else if (row.bytesReceived > 0) parts.push(size(row.bytesReceived));
  if (row.state === "running") {
    parts.push(speed(row.bytesPerSecond));
    if (row.secondsLeft !== null) parts.push(`${duration(row.secondsLeft)} left`);
  }
  return parts.join(" · ");
}
