/// The keys for marks and for what the list shows.
extension Bindings {
  static let finding: [Binding] = [
    Binding(
      .finding, [.list], [.character(" ")], .mark(.toggle),
      "Mark the row, or take its mark away, and go on to the next"),
    Binding(.finding, [.list], [.character("A")], .mark(.all), "Mark all that the filter shows"),
    Binding(.finding, [.list], [.character("U")], .mark(.none), "Take all marks away"),
    Binding(
      .finding, [.list], [.character("i")], .mark(.invert),
      "Mark what is not marked, and take the marks of the others away"),
  ]
}
