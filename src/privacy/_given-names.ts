/**
 * Common given names of many countries. The second list also means something else in software or in English: a name of
 * it counts only next to a word that people are said with.
 */
export const GIVEN_NAMES: ReadonlySet<string> = new Set(
  `Aaron Abdul Abdullah Abigail Abraham Adam Adele Adrian Adriana Agata Agnes Agnieszka Ahmad Ahmed Aiden Aisha Akira Alain
  Alan Alastair Albert Alberto Alejandra Alejandro Aleksandr Aleksandra Alessandra Alessandro Alessia Alex Alexander
  Alexandra Alexandre Alexandru Alexei Alexey Alexis Alfonso Alfred Ali Alice Alicia Alina Alison Alistair Allan Allison
  Alvaro Amanda Amelia Amelie Amina Amir Amit Amy Ana Anders Andre Andrea Andreas Andrei Andres Andrew Andrey Andrzej Andy
  Anette Angela Angelina Angelo Angus Anika Anil Anita Anja Anke Ankit Ann Anna Annabel Anne Annette Annika Anouk Anthony
  Antoine Anton Antonia Antonio Anya Ariana Arjun Armand Armando Arnaud Arne Arno Arthur Artur Arturo Arun Asha Ashley
  Ashok Astrid Audrey Aurelie Ayesha Aylin Barbara Bart Bartosz Bastian Beata Beatrice Beatriz Ben Benedikt Benjamin Benoit
  Bernard Bernd Bernhard Beth Bettina Bianca Birgit Bjorn Bob Bogdan Boris Brad Bradley Brandon Brenda Brendan Brent Brian
  Bridget Britta Brittany Bruce Bryan Caitlin Callum Cameron Camila Camille Carina Carl Carla Carlo Carlos Carmen
  Carol Carolin Carolina Caroline Carsten Catalina Caterina Catherine Cathy Cecilia Cedric Celia Celine Cesar Chad Chandra
  Chantal Charles Chen Cheng Chiara Chloe Chris Christa Christian Christina Christine Christoph Christophe
  Christopher Claire Clara Claudia Claudio Clemens Clement Colin Connor Conor Constantin Cornelia Corinna Craig Cristian
  Cristina Cynthia Damian Damien Dan Dana Daniel Daniela Daniele Danielle Danny Daphne Darren Dave David Davide Deborah
  Declan Deepa Deepak Denis Denise Dennis Derek Diana Diane Diego Dieter Dimitri Dirk Dmitri Dmitry Dominic Dominik
  Dominique Donald Donna Doris Dorothy Doug Douglas Duncan Dylan Eddie Edgar Eduard Eduardo Edward Edwin Eileen Elaine
  Eleanor Elena Eleni Elias Elif Elisa Elisabeth Elise Elizabeth Ella Ellen Elliot Elsa Elvira Emanuel Emil Emilia Emilie
  Emily Emma Emmanuel Emre Enrico Enrique Eric Erica Erich Erik Erika Erin Ernesto Ernst Esteban Esther Ethan Eugene Eva
  Evan Evelyn Ewa Fabian Fabio Fabrice Farah Fatima Federica Federico Felicia Felipe Felix Fernanda Fernando Ffion Filip
  Fiona Florian Frances Francesca Francesco Francis Francisco Franck Francois Franz Fred Freddie Frederic Frederik
  Friedrich Gabriel Gabriela Gabriele Gareth Gary Gavin Geoff Geoffrey Georg George Georgina Gerald Gerard Gerhard
  Giacomo Gilbert Giorgio Giovanni Gisela Giulia Giuseppe Gloria Gonzalo Gordon Graham Greg Gregor Gregory Greta Grzegorz
  Guido Guillaume Guillermo Gunter Gustav Gustavo Hamza Hana Hanna Hannah Hannes Hans Harald Harold Harriet Harry Haruka
  Haruto Hasan Hassan Heather Hector Heidi Heike Heiko Heinrich Heinz Helen Helena Helene Helga Helmut Hendrik Henri
  Henrik Henry Herbert Hermann Hiroshi Holger Howard Hui Ian Ibrahim Ida Ignacio Igor Ilona Imran Ines Inga Inge Ingrid
  Irena Irene Irina Isaac Isabel Isabella Isabelle Ismail Ivan Ivana Jack Jackie Jacob Jacqueline Jacques Jakob Jakub
  James Jamie Jana Jane Janet Janine Janusz Jasmin Jason Javier Jeff Jeffrey Jennifer Jenny Jens Jeremy Jerome Jess
  Jesse Jessica Jesus Jill Jim Jimmy Jin Joachim Joan Joana Joanna Joanne Joao Jochen Joe Joel Johan Johann Johanna
  Johannes John Johnny Jon Jonas Jonathan Jorg Jorge Jose Josef Josefina Joseph Josephine Josh Joshua Joyce Juan
  Juana Juanita Judith Judy Juergen Julian Juliana Juliane Julie Julien Juliet Julio Julius Jurgen Justin Justyna
  Kai Karen Karim Karin Karina Karl Karol Karolina Karsten Kasia Katarina Katarzyna Kate Katharina Katherine Kathleen
  Kathrin Kathy Katie Katja Katrin Kavita Kazuki Keith Kelly Ken Kenji Kenneth Kerstin Kevin Khalid Kim Kimberly Kiran
  Kirsten Klaus Konrad Konstantin Kristen Kristian Kristin Kristina Krzysztof Kumar Kurt Kyle Lana Lara Larissa Larry Lars
  Lasse Laszlo Laura Lauren Laurent Laurie Lea Leah Lee Leila Lena Leo Leon Leonard Leonardo Leonie Leonor Leopold Leslie
  Liam Lidia Lily Lin Lina Linda Lindsay Ling Lisa Liu Liz Logan Lorena Lorenzo Lothar Louis Louisa Louise Luc Luca
  Lucas Lucia Lucie Lucy Ludwig Luis Luisa Lukas Luke Lutz Lydia Lynn Maarten Madeleine Madison Magda Magdalena Mahmoud
  Maja Malte Manfred Manoj Manon Manuel Manuela Marc Marcel Marcela Marcelo Marcin Marco Marcos Marcus Marek Margaret
  Margarita Margot Maria Mariana Marianne Marie Mariam Marina Mario Marion Marius Markus Marlene Marta Martha Martin
  Martina Martine Marvin Mary Maryam Masha Mateo Mateusz Mathias Mathieu Mathilde Matt Matteo Matthew Matthias Maureen
  Maurice Mauro Maximilian Megan Mehmet Mei Melanie Melissa Mia Michael Michal Michel Michele Michelle Mick Miguel Mika
  Mike Mikhail Milena Ming Miriam Mohamed Mohammad Mohammed Moira Molly Monica Monika Monique Moritz Moses
  Mustafa Myriam Nadia Nadine Nadja Nancy Naomi Natalia Natalie Natasha Nathalie Nathan Nathaniel Neha Neil Nele Nelson
  Niall Nicholas Nick Nico Nicola Nicolas Nicole Niels Nigel Nikhil Nikita Niklas Nikolai Nikolas Nils Nina Noah Noor
  Nora Norbert Norman Nuria Oksana Olaf Oleg Olga Oliver Olivia Olivier Omar Oscar Oskar Osman Otto Owen Pablo
  Pamela Paola Paolo Patricia Patrick Patrik Patty Paul Paula Paulina Pauline Paulo Pavel Pawel Pedro Peggy Peter Petra
  Phil Philip Philipp Philippe Phillip Pierre Pieter Pilar Piotr Prakash Pranav Priya Priyanka Quentin Rachel Rafael
  Rahul Rainer Raj Rajesh Ralf Ralph Ramon Raphael Raquel Rashid Raul Ravi Raymond Rebecca Regina Reinhard Renata Renate
  Rene Ricardo Riccardo Richard Rick Ricky Rita Robert Roberta Roberto Rodrigo Roger Rohan Roland Rolf Romain
  Ron Ronald Ronja Rosa Rosalie Rosario Rosemary Ross Roxana Roy Ruben Rudi Rudolf Rupert Russell Ruth Ryan Sabine Sabrina
  Saeed Sally Salma Salvador Sam Samantha Samir Samuel Sandeep Sandra Sanjay Sara Sarah Sascha Satoshi
  Saskia Scott Sean Sebastian Sergei Sergey Sergio Serena Shannon Sharon Shaun Shawn Sheila Shirley Shreya Sibylle Silke
  Silvia Simon Simona Simone Sinead Sofia Sofie Sonia Sonja Sophia Sophie Soren Stacy Stan Stefan Stefania Stefanie
  Stefano Steffen Stella Stephan Stephane Stephanie Stephen Steve Steven Stuart Sunil Sunita Suresh Susan Susana Susanne
  Sven Svenja Svetlana Sylvia Sylvie Tamara Tanja Tanya Tara Tarek Tatiana Taylor Ted Teresa Terry Theo Theodor Theresa
  Thibault Thierry Thomas Thorsten Tiago Tiffany Tim Timo Timothy Tina Tobias Todd Tom Tomas Tomasz Tommy Toni Tony Torben
  Torsten Tracy Trevor Tristan Tyler Udo Ulf Ulrich Ulrike Umar Ursula Usha Ute Uwe Valentin Valentina Valeria Valerie
  Vanessa Vera Verena Veronica Veronika Victor Vijay Vikram Viktor Viktoria Vincent Vincenzo Viola Vito Vivian
  Vladimir Volker Walter Wanda Wang Wei Wendy Werner Wesley Wilhelm William Wolfgang Wojciech Xavier Xiao Yan Yang Yann
  Yannick Yara Yasmin Yosef Youssef Yuki Yusuf Yvette Yvonne Zahra Zeynep Zhang Zoe Zofia Zuzanna`.split(
    /\s+/,
  ),
);

export const AMBIGUOUS_NAMES: ReadonlySet<string> = new Set(
  `Ada Alba Alexa Bruno Charlotte Florence Georgia Jan Jordan Milan Morgan Noel Orlando Robin Roman Santiago Virginia Amber April Aria Art Ash Aurora August Autumn Basil Bill Blake Brook Buck Candy Carter
  Chase Chip Clay Cliff Cole Cooper Crystal Daisy Dale Dash Dawn Dean Dean Diamond Dick Dolly Don Drew
  Duke Earl Eden Eve Faith Faye Fern Flora Forest Frank Gale Gem Gene Ginger Grace Grant Guy Harper Hazel
  Heath Holly Honor Hope Hudson Hugo Hunter Iris Ivy Jade Jake Jay Jean Jerry Joy Julia June Juno Justice
  Kent Kit Kitty Lance Lane Laurel Lexi Lou Luna Mark Mason Max May Melody Mercury Merry Miles Misty Myrtle Nova Olive
  Opal Otis Page Paige Parker Pascal Pat Pearl Penny Peg Perry Piper Poppy Randy Ray Red Reed Rex
  Rich River Rob Rocky Rod Rory Rose Rowan Ruby Rusty Sage Sandy Sasha Scout Sienna Sierra Sky Skip Sol Sonny Spencer
  Star Sterling Storm Sue Summer Sunny Tab Tad Tate Terra Tiger Trinity Tucker Turner Van Venus Victoria
  Violet Wade Ward Warren Wes Will Winter Wolf Woody`.split(/\s+/),
);
