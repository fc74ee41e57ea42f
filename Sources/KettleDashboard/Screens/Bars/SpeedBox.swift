import KettleModel

/// The total speed of the last minutes, in a box with its numbers in the border.
struct SpeedBox {
  let box: TitledBox
  let service: ServiceView
  /// The key that hides it.
  let key: Key?

  func draw(on canvas: inout Canvas) {
    let (rows, columns) = box.inside
    let width = columns.count - 2
    let seconds = SpeedGraph.seconds(width: width, canvas.look)
    let shown = service.speeds.samples.suffix(seconds)
    box.draw(
      title: Strings.speedTitle, key: key, right: DurationText.clock(Int64(seconds)),
      below: (numbers(of: shown), ""), on: &canvas)
    let limit = service.totals.limitBytesPerSecond
    let top = max(service.speeds.top, SpeedGraph.ceiling(of: [limit ?? 0]))
    let graph = SpeedGraph(
      samples: service.speeds.paired, height: rows.count, limit: limit, top: top)
    graph.drawCurve(
      on: &canvas, row: rows.lowerBound, column: columns.lowerBound + 1, width: width)
  }

  private func numbers(of samples: ArraySlice<Int64>) -> String {
    let moving = samples.filter { $0 > 0 }
    guard let peak = moving.max() else { return "" }
    let mean = moving.reduce(0) { $0 + Double($1) } / Double(moving.count)
    return Strings.speedNumbers(
      now: service.totals.bytesPerSecond, mean: Int64(min(mean, 1e18)), peak: peak,
      limit: service.totals.limitBytesPerSecond)
  }
}
