run "x" {
}
