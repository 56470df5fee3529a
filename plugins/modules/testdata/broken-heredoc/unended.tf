variable "end_of_file" {
  default = <<EOT
text
EOT