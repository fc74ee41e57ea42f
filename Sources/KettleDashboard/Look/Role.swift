/// The purpose of a piece of the screen; the look determines its style.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, quiet, heading
  case bar, barName, barProblem
  case columnHeader
  case progress, progressDone, progressHeld, progressFailed, progressRest
  case good, waiting, problem
  case key, keyLabel
  case dialog, dialogTitle, dialogQuiet, dialogProblem, dialogGood, dialogKey
  case field, fieldQuiet
}
