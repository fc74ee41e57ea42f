/// Shows the dashboard on the terminal.
package protocol DashboardOpening: Sendable {
  /// Returns when the user leaves, the time is over, or the terminal is gone. Throws
  /// `NoDashboard` when the terminal cannot show it.
  func open(_ request: DashboardRequest, in world: CommandWorld) async throws -> DashboardOutcome
}

/// Over which service the dashboard is shown, and for how long.
package struct DashboardRequest: Hashable, Sendable {
  package var place: ServicePlace
  /// What the service is told is calling.
  package var client: String
  package var limitMilliseconds: Int64?
  /// Whether it is drawn with ASCII alone, whatever the locale says.
  package var isASCII = false
  /// Whether the service works with the files of this machine, which then can be opened here.
  package var filesAreHere: Bool

  package init(place: ServicePlace, client: String, limitMilliseconds: Int64? = nil) {
    self.place = place
    self.client = client
    self.limitMilliseconds = limitMilliseconds
    filesAreHere = place.host == nil
  }
}

package enum DashboardOutcome: Hashable, Sendable {
  /// `goingOnCount` transfers go on by themselves when the user leaves.
  case left(goingOnCount: Int)
  case limitReached
  /// The terminal was closed, or a signal asks the program to end; the service goes on.
  case ended(ExitCode)
}

/// The terminal cannot show a dashboard; the sentence says why. Plain lines take its place.
package struct NoDashboard: Error, Hashable, Sendable {
  package var sentence: String

  package init(sentence: String) { self.sentence = sentence }
}
